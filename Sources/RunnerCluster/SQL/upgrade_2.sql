-- What version 2 adds to the tables of version 1. Each statement may be executed again.

-- The commands whose limit counts over all workers; see gates.sql.
CREATE TABLE IF NOT EXISTS raclette.gate (name text PRIMARY KEY);

-- The entries of a lane have the same gate, if any.
ALTER TABLE raclette.lane
  -- Empty for commands whose limit counts per worker.
  ADD COLUMN IF NOT EXISTS gate text NOT NULL DEFAULT '',
  ADD COLUMN IF NOT EXISTS gate_limit integer NOT NULL DEFAULT 0,
  -- The command's when_busy.
  ADD COLUMN IF NOT EXISTS gate_policy text NOT NULL DEFAULT '',
  DROP CONSTRAINT IF EXISTS lane_batch_tags_key;
CREATE UNIQUE INDEX IF NOT EXISTS lane_batch_tags_gate_key ON raclette.lane (batch, tags, gate);
CREATE INDEX IF NOT EXISTS lane_gate_idx ON raclette.lane (gate) WHERE gate <> '';

-- When the submitter was last heard of.
ALTER TABLE raclette.batch ADD COLUMN IF NOT EXISTS submitter_seen timestamptz;

-- Not only entries whose command is not enabled become claimable later.
ALTER TABLE raclette.later ALTER waits_since DROP NOT NULL;

-- Late results are looked up by their tokens.
CREATE INDEX IF NOT EXISTS ended_token_idx ON raclette.ended (token) WHERE token > 0;

-- The batches that workers cannot execute; see refusals.sql.
CREATE TABLE IF NOT EXISTS raclette.refusal (
  worker bigint NOT NULL REFERENCES raclette.worker ON DELETE CASCADE,
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  reason text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (batch, worker)
);
CREATE INDEX IF NOT EXISTS refusal_worker_idx ON raclette.refusal (worker);

-- The needs that one worker executes for all; see needs.sql.
CREATE TABLE IF NOT EXISTS raclette.need (
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  -- A digest of the batch, the command and its input.
  key text NOT NULL,
  -- Who executes it; null once it has ended.
  worker bigint REFERENCES raclette.worker ON DELETE CASCADE,
  -- running, completed or failed.
  state text NOT NULL,
  error_kind text,
  error text,
  PRIMARY KEY (batch, key)
);
CREATE INDEX IF NOT EXISTS need_worker ON raclette.need (worker) WHERE worker IS NOT NULL;

-- Functions whose parameters or results have changed.
DROP FUNCTION IF EXISTS raclette.reap();
DROP FUNCTION IF EXISTS raclette.open_gates(bigint[]);
DROP FUNCTION IF EXISTS raclette.replace_earlier(text);
DROP FUNCTION IF EXISTS raclette.take_waiting(bigint, bigint);
DROP FUNCTION IF EXISTS raclette.cancel_entries(bigint, bigint);
DROP FUNCTION IF EXISTS raclette.submit_entries(
  bigint, bigint, text[], text[], text[], text[], text[], bigint[], bytea[], text[], text[]);
DO $$
BEGIN
  -- Workers of this version call it.
  IF (SELECT number FROM raclette.schema_version) < 2 THEN
    DROP FUNCTION IF EXISTS raclette.beat(
      uuid, boolean, text, text, text[], integer, boolean, bigint, double precision, bigint[]);
  END IF;
END $$;

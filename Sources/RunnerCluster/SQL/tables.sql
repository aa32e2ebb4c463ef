-- The tables of version 3, the first that a release can have. What is read is append-only; the tables
-- that change at each step (queue, later, claim, worker) hold only what waits or runs.

CREATE SCHEMA raclette;

CREATE TABLE raclette.schema_version (number integer NOT NULL);
INSERT INTO raclette.schema_version VALUES (3);

-- Numbers of batches and entries: one sequence, so that a number says which it is.
CREATE SEQUENCE raclette.number;
-- Tokens of claims rise: a later claim of an entry has a higher token.
CREATE SEQUENCE raclette.token;
-- The order of the output of one worker.
CREATE SEQUENCE raclette.output_order;
CREATE SEQUENCE raclette.worker_number;

-- Content-addressed files of bundles, in rows of at most 1 MiB. Digests are SHA-256.
CREATE TABLE raclette.blob (
  digest text NOT NULL,
  part integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (digest, part)
);

CREATE TABLE raclette.bundle (
  digest text PRIMARY KEY,
  -- The path of the command file inside the bundle; empty if there is none.
  command_file text NOT NULL,
  created timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE raclette.bundle_file (
  bundle text NOT NULL REFERENCES raclette.bundle ON DELETE CASCADE,
  path text NOT NULL,
  blob text NOT NULL,
  size bigint NOT NULL,
  mode integer NOT NULL,
  PRIMARY KEY (bundle, path)
);

CREATE TABLE raclette.batch (
  id bigint PRIMARY KEY DEFAULT nextval('raclette.number'),
  -- Chosen by the submitter, who may send the same submission twice after a lost connection.
  submission uuid NOT NULL UNIQUE,
  plan text NOT NULL,
  folder text NOT NULL,
  submitter text NOT NULL,
  bundle text NOT NULL REFERENCES raclette.bundle,
  -- A JSON list of the options with which workers execute its entries.
  options text NOT NULL,
  fail_fast boolean NOT NULL,
  -- Seconds that an entry waits for a command that is not enabled.
  enabled_timeout double precision NOT NULL,
  submitted timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The number of entries, once all have been submitted.
  size bigint,
  cancelled timestamptz,
  ended timestamptz,
  -- When the submitter was last heard of.
  submitter_seen timestamptz,
  -- True if what other batches have completed or execute counts for this one.
  resumes boolean NOT NULL DEFAULT false
);
CREATE INDEX ON raclette.batch (id) WHERE ended IS NULL;

CREATE TABLE raclette.entry (
  id bigint PRIMARY KEY DEFAULT nextval('raclette.number'),
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  -- Its place in the batch, from 1.
  place bigint NOT NULL,
  kind text NOT NULL,
  command text NOT NULL,
  input text NOT NULL,
  name text,
  plan text NOT NULL,
  line bigint NOT NULL,
  -- The digest of its content, for resumption.
  key bytea NOT NULL,
  UNIQUE (batch, place)
);
CREATE INDEX ON raclette.entry (key);

-- The commands whose limit counts over all workers; see gates.sql.
CREATE TABLE raclette.gate (name text PRIMARY KEY);

-- The entries of a batch that need the same tags, use the same, and have the same gate, if any. Claims
-- are spread over lanes at random, but what uses the same resources is claimed in its order.
CREATE TABLE raclette.lane (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  tags text[] NOT NULL,
  -- Empty for commands whose limit counts per worker.
  gate text NOT NULL DEFAULT '',
  gate_limit integer NOT NULL DEFAULT 0,
  -- The command's when_busy.
  gate_policy text NOT NULL DEFAULT '',
  -- What each execution uses, by name: a number of things, or a text with a number of bytes.
  uses jsonb NOT NULL DEFAULT '{}',
  -- What the command file offers, for workers that offer no other amount.
  offers jsonb NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX lane_batch_tags_gate_key ON raclette.lane (batch, tags, gate, uses);
CREATE INDEX lane_gate_idx ON raclette.lane (gate) WHERE gate <> '';

-- Entries that may be claimed.
CREATE TABLE raclette.queue (
  lane bigint NOT NULL,
  entry bigint NOT NULL,
  batch bigint NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  losses integer NOT NULL DEFAULT 0,
  -- When a worker first found its command not enabled.
  waits_since timestamptz,
  PRIMARY KEY (lane, entry)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

-- Entries that become claimable at a time.
CREATE TABLE raclette.later (
  entry bigint PRIMARY KEY,
  due timestamptz NOT NULL,
  lane bigint NOT NULL,
  batch bigint NOT NULL,
  attempt integer NOT NULL,
  losses integer NOT NULL,
  -- Null for what does not wait for a command that is not enabled.
  waits_since timestamptz
);
CREATE INDEX ON raclette.later (due);
CREATE INDEX ON raclette.later (batch);

-- A worker's lease and what it is; a worker without a lease has no row.
CREATE TABLE raclette.worker (
  id bigint PRIMARY KEY DEFAULT nextval('raclette.worker_number'),
  -- Known to the worker alone.
  session uuid NOT NULL UNIQUE,
  name text NOT NULL,
  version text NOT NULL,
  tags text[] NOT NULL,
  jobs integer NOT NULL,
  -- The amounts that it offers; see lane.uses.
  resources jsonb NOT NULL DEFAULT '{}',
  is_draining boolean NOT NULL DEFAULT false,
  -- The only batch of which it executes entries, if there is one.
  only_batch bigint,
  joined timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen timestamptz NOT NULL DEFAULT clock_timestamp(),
  deadline timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What workers hold.
CREATE TABLE raclette.claim (
  token bigint PRIMARY KEY,
  worker bigint NOT NULL,
  lane bigint NOT NULL,
  entry bigint NOT NULL UNIQUE,
  batch bigint NOT NULL,
  attempt integer NOT NULL,
  losses integer NOT NULL,
  waits_since timestamptz,
  claimed timestamptz NOT NULL DEFAULT clock_timestamp(),
  begun timestamptz,
  is_cancelled boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ON raclette.claim (worker);
CREATE INDEX ON raclette.claim (batch);

-- The one recorded end of each entry.
CREATE TABLE raclette.ended (
  entry bigint PRIMARY KEY,
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  token bigint NOT NULL,
  worker bigint NOT NULL,
  worker_name text NOT NULL,
  attempt integer NOT NULL,
  -- completed, failed, cancelled or skipped.
  state text NOT NULL,
  -- By the server's clock.
  started timestamptz,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  duration double precision NOT NULL,
  -- The attempts of the last worker; 0 if the command was up to date.
  attempts integer NOT NULL,
  code integer,
  error_kind text,
  error text,
  -- The last lines of its output, as the local journal keeps them.
  output bytea
);
CREATE INDEX ON raclette.ended (batch);
-- Late results are looked up by their tokens.
CREATE INDEX ended_token_idx ON raclette.ended (token) WHERE token > 0;

-- Events in the schema of `run --json`, one a line, without `v` and `seq`. The rows of one worker are
-- committed in the order of `place`; rows of different workers are not.
CREATE TABLE raclette.output (
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  worker bigint NOT NULL,
  place bigint NOT NULL DEFAULT nextval('raclette.output_order'),
  events text NOT NULL,
  PRIMARY KEY (batch, worker, place)
);

-- The batches that workers cannot execute; see refusals.sql.
CREATE TABLE raclette.refusal (
  worker bigint NOT NULL REFERENCES raclette.worker ON DELETE CASCADE,
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  reason text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (batch, worker)
);
CREATE INDEX refusal_worker_idx ON raclette.refusal (worker);

-- The needs that one worker executes for all; see needs.sql.
CREATE TABLE raclette.need (
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
CREATE INDEX need_worker ON raclette.need (worker) WHERE worker IS NOT NULL;

-- Entries that wait for the end of an equal one of another batch; see resumption.sql.
CREATE TABLE raclette.awaiting (
  entry bigint PRIMARY KEY,
  batch bigint NOT NULL,
  lane bigint NOT NULL,
  -- The equal entry.
  other bigint NOT NULL,
  other_batch bigint NOT NULL,
  -- True if the other one has taken its place, so that its end is the end of both.
  is_replaced boolean NOT NULL,
  attempt integer NOT NULL,
  losses integer NOT NULL,
  -- True once the other one has ended, or if it may have.
  is_due boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX awaiting_batch_idx ON raclette.awaiting (batch);
CREATE INDEX awaiting_other_idx ON raclette.awaiting (other);
CREATE INDEX awaiting_due_idx ON raclette.awaiting (entry) WHERE is_due;
CREATE INDEX awaiting_other_batch_idx ON raclette.awaiting (other_batch)
WHERE NOT is_replaced;

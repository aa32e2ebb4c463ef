-- What version 3 adds to the tables of version 2. Each statement may be executed again.

-- True if what other batches have completed or execute counts for this one.
ALTER TABLE raclette.batch ADD COLUMN IF NOT EXISTS resumes boolean NOT NULL DEFAULT false;

-- Entries that wait for the end of an equal one of another batch; see resumption.sql.
CREATE TABLE IF NOT EXISTS raclette.awaiting (
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
CREATE INDEX IF NOT EXISTS awaiting_batch_idx ON raclette.awaiting (batch);
CREATE INDEX IF NOT EXISTS awaiting_other_idx ON raclette.awaiting (other);
CREATE INDEX IF NOT EXISTS awaiting_due_idx ON raclette.awaiting (entry) WHERE is_due;
CREATE INDEX IF NOT EXISTS awaiting_other_batch_idx ON raclette.awaiting (other_batch)
WHERE NOT is_replaced;

-- Functions whose parameters or results have changed.
DROP FUNCTION IF EXISTS raclette.submit_batch(
  uuid, text, text, text, text, text, boolean, double precision);
DROP FUNCTION IF EXISTS raclette.submit_entries(
  bigint, bigint, text[], text[], text[], text[], text[], bigint[], bytea[], text[], text[], text[],
  integer[], text[]);

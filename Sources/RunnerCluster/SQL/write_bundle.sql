-- Adds a bundle, or makes it young again: young bundles are not pruned. See pruning.sql for the lock.
WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(raclette.listing_lock())),
kept AS (
  INSERT INTO raclette.bundle (digest, command_file)
  SELECT $1::text, $2::text FROM turn
  ON CONFLICT (digest) DO UPDATE SET created = clock_timestamp()
  RETURNING digest)
INSERT INTO raclette.bundle_file (bundle, path, blob, size, mode)
SELECT kept.digest, f.path, f.blob, f.size, f.mode
FROM kept, unnest($3::text[], $4::text[], $5::bigint[], $6::integer[])
  AS f(path, blob, size, mode)
ON CONFLICT DO NOTHING

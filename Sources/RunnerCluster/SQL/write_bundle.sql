-- Adds a bundle, or makes it young again: young bundles are not pruned.
WITH kept AS (
  INSERT INTO raclette.bundle (digest, command_file) VALUES ($1, $2)
  ON CONFLICT (digest) DO UPDATE SET created = clock_timestamp()
  RETURNING digest)
INSERT INTO raclette.bundle_file (bundle, path, blob, size, mode)
SELECT kept.digest, f.path, f.blob, f.size, f.mode
FROM kept, unnest($3::text[], $4::text[], $5::bigint[], $6::integer[])
  AS f(path, blob, size, mode)
ON CONFLICT DO NOTHING

-- Deletes the files that no bundle has.
WITH gone AS (
  DELETE FROM raclette.blob
  WHERE NOT EXISTS (SELECT FROM raclette.bundle_file f WHERE f.blob = blob.digest)
  RETURNING octet_length(bytes) AS size)
SELECT coalesce(sum(size), 0) FROM gone

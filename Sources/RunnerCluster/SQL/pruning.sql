-- Files of bundles that no batch needs any more. Whoever lists a bundle shares the lock of
-- `listing_lock`, so that what it finds there afterwards is not removed.

CREATE OR REPLACE FUNCTION raclette.listing_lock() RETURNS bigint
LANGUAGE sql IMMUTABLE AS 'SELECT 7267::bigint';

-- Deletes the files that no bundle has; returns their size.
CREATE OR REPLACE FUNCTION raclette.prune_blobs() RETURNS bigint
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  size bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(listing_lock());
  -- This sees what was listed before the lock was free.
  WITH gone AS (
    DELETE FROM blob WHERE NOT EXISTS (SELECT FROM bundle_file f WHERE f.blob = blob.digest)
    RETURNING octet_length(bytes) AS bytes)
  SELECT coalesce(sum(bytes), 0) INTO size FROM gone;
  RETURN size;
END $$;

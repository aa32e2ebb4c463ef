-- Deletes the bundles that no batch needs, but those of the last day: a submission may be under way.
DELETE FROM raclette.bundle b
WHERE b.created < clock_timestamp() - interval '1 day'
  AND NOT EXISTS (SELECT FROM raclette.batch WHERE batch.bundle = b.digest)

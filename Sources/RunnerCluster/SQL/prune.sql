-- Deletes batches that ended more than $1 seconds ago, but the latest $2, and the bundles that no
-- batch needs any more. Returns the numbers of batches and entries.
WITH old AS (
  SELECT id FROM raclette.batch
  WHERE ended < clock_timestamp() - make_interval(secs => $1::double precision)
    AND id NOT IN (
      SELECT id FROM raclette.batch WHERE ended IS NOT NULL ORDER BY id DESC LIMIT $2::bigint)),
entries AS (SELECT count(*) AS number FROM raclette.entry WHERE batch IN (TABLE old)),
outputs AS (DELETE FROM raclette.output WHERE batch IN (TABLE old)),
ends AS (DELETE FROM raclette.ended WHERE batch IN (TABLE old)),
lanes AS (DELETE FROM raclette.lane WHERE batch IN (TABLE old)),
gone AS (DELETE FROM raclette.batch WHERE id IN (TABLE old) RETURNING id)
SELECT (SELECT count(*) FROM gone), (SELECT number FROM entries)

-- For some batches, the place of each worker's output behind which its latest $2 rows are; null if
-- there are no more rows.
WITH RECURSIVE writer(batch, worker) AS (
  SELECT b.batch, (SELECT min(o.worker) FROM raclette.output o WHERE o.batch = b.batch)
  FROM unnest($1::bigint[]) AS b(batch)
  UNION ALL
  SELECT w.batch, (
    SELECT min(o.worker) FROM raclette.output o WHERE o.batch = w.batch AND o.worker > w.worker)
  FROM writer w WHERE w.worker IS NOT NULL)
SELECT w.batch, w.worker, (
  SELECT o.place FROM raclette.output o WHERE o.batch = w.batch AND o.worker = w.worker
  ORDER BY o.place DESC OFFSET $2::bigint LIMIT 1)
FROM writer w WHERE w.worker IS NOT NULL

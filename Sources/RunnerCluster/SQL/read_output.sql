-- Output of the batches $1 behind the places $4 up to which a reader knows that of the workers $3 in
-- the batches $2.
-- Some of it, the earliest first: rows of 4 MiB at most, or one.
SELECT o.batch, o.worker, o.place, o.events FROM (
SELECT b.batch, f.worker, f.place, f.events,
  sum(octet_length(f.events)) OVER (ORDER BY f.place) - octet_length(f.events) AS before
FROM unnest($1::bigint[]) AS b(batch)
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(k.worker ORDER BY k.worker), '{}') AS workers,
    coalesce(array_agg(k.place ORDER BY k.worker), '{}') AS places
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS k(batch, worker, place)
  WHERE k.batch = b.batch) AS known
CROSS JOIN LATERAL raclette.follow(b.batch, known.workers, known.places) AS f) AS o
WHERE o.before < 4194304
ORDER BY o.place

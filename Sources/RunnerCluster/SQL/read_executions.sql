-- The executions of a batch ($1), of a command ($2), in some states ($3), with numbers beyond $4, or
-- the one with the number $5; null asks for all. $6: without those of entries that have completed
-- since.
SELECT e.id, e.batch, e.kind, e.command, e.input, e.name, e.plan, e.line, x.attempts, x.state,
  extract(epoch FROM x.claimed), extract(epoch FROM x.started), x.duration, x.code, x.error_kind,
  x.error, x.worker, since.id
FROM raclette.entry e
JOIN (
  SELECT entry, attempts, state, coalesce(started, at) AS claimed, started, duration, code,
    error_kind, error, worker_name AS worker
  FROM raclette.ended WHERE state <> 'skipped'
  UNION ALL
  SELECT claim.entry, 0, 'running', claim.claimed, claim.begun, NULL, NULL, NULL, NULL, worker.name
  FROM raclette.claim JOIN raclette.worker ON worker.id = claim.worker
  -- What a worker held whose lease is over waits again.
  WHERE claim.begun IS NOT NULL AND worker.deadline > clock_timestamp()) AS x ON x.entry = e.id
CROSS JOIN LATERAL (
  SELECT min(later.id) AS id FROM raclette.entry AS later
  JOIN raclette.ended ON ended.entry = later.id AND ended.state = 'completed'
  WHERE later.key = e.key AND later.batch > e.batch AND x.state NOT IN ('completed', 'running')
  ) AS since
WHERE ($1::bigint IS NULL OR e.batch = $1) AND ($2::text IS NULL OR e.command = $2)
  AND ($3::text[] IS NULL OR x.state = ANY ($3)) AND e.id > $4::bigint
  AND ($5::bigint IS NULL OR e.id = $5) AND NOT ($6::boolean AND since.id IS NOT NULL)
ORDER BY e.id

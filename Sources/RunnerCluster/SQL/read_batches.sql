-- All batches with the numbers of their entries by state and their command files, the earliest first.
SELECT b.id, b.plan, b.folder, extract(epoch FROM b.submitted), extract(epoch FROM b.ended),
  coalesce(d.completed, 0), coalesce(d.failed, 0), coalesce(d.cancelled, 0), coalesce(c.running, 0),
  u.command_file
FROM raclette.batch b
JOIN raclette.bundle u ON u.digest = b.bundle
LEFT JOIN (
  SELECT batch, count(*) FILTER (WHERE state = 'completed') AS completed,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'cancelled') AS cancelled
  FROM raclette.ended GROUP BY batch) AS d ON d.batch = b.id
LEFT JOIN (
  -- What a worker held whose lease is over waits again.
  SELECT claim.batch, count(*) AS running
  FROM raclette.claim JOIN raclette.worker ON worker.id = claim.worker
  WHERE claim.begun IS NOT NULL AND worker.deadline > clock_timestamp() GROUP BY claim.batch
) AS c ON c.batch = b.id
ORDER BY b.id

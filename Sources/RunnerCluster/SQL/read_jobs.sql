-- What waits, runs and works, in one snapshot. What is claimed and not begun still waits, and so does
-- what a worker held whose lease is over, and what waits for the end of an equal entry.
WITH running AS MATERIALIZED (
  SELECT c.batch, c.worker, c.entry FROM raclette.claim c JOIN raclette.worker w ON w.id = c.worker
  WHERE c.begun IS NOT NULL AND w.deadline > clock_timestamp())
SELECT
  (SELECT count(*) FROM raclette.queue)
    + (SELECT count(*) FROM raclette.later)
    + (SELECT count(*) FROM raclette.awaiting WHERE NOT is_replaced)
    + (SELECT count(*) FROM raclette.claim) - (SELECT count(*) FROM running),
  (SELECT count(*) FROM running),
  (SELECT extract(epoch FROM clock_timestamp() - min(b.submitted))
    FROM raclette.batch b
    WHERE b.ended IS NULL AND (
      EXISTS (SELECT FROM raclette.lane l JOIN raclette.queue q ON q.lane = l.id
        WHERE l.batch = b.id)
      OR EXISTS (SELECT FROM raclette.later l WHERE l.batch = b.id)
      OR EXISTS (SELECT FROM raclette.awaiting a WHERE a.batch = b.id AND NOT a.is_replaced)
      OR EXISTS (SELECT FROM raclette.claim c WHERE c.batch = b.id
        AND c.entry NOT IN (SELECT entry FROM running)))),
  (SELECT count(*) FROM raclette.ended WHERE at > clock_timestamp() - interval '1 minute'),
  (SELECT coalesce(json_agg(json_build_object(
      'name', w.name, 'version', w.version, 'jobs', w.jobs, 'tags', w.tags,
      'running', (SELECT count(*) FROM running r WHERE r.worker = w.id),
      'draining', w.is_draining,
      'batch', w.only_batch,
      'joined', extract(epoch FROM w.joined), 'seen', extract(epoch FROM w.seen))
      ORDER BY w.joined, w.id), '[]')
    FROM raclette.worker w WHERE w.deadline > clock_timestamp()),
  (SELECT coalesce(json_agg(json_build_object(
      'batch', b.id, 'plan', b.plan, 'submitter', b.submitter,
      'submitted', extract(epoch FROM b.submitted), 'entries', b.size,
      'ended', (SELECT count(*) FROM raclette.ended d WHERE d.batch = b.id),
      'running', (SELECT count(*) FROM running r WHERE r.batch = b.id),
      'cancelled', b.cancelled IS NOT NULL)
      ORDER BY b.id), '[]')
    FROM raclette.batch b WHERE b.ended IS NULL)

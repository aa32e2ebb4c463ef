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
      'resources', w.resources,
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
      'cancelled', b.cancelled IS NOT NULL,
      -- What waiting entries use, and no worker that is there has.
      'not_offered', (
        SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object(u.name, u.amount)), '[]')
        FROM raclette.lane l CROSS JOIN LATERAL jsonb_each(l.uses) AS u(name, amount)
        WHERE l.batch = b.id AND EXISTS (SELECT FROM raclette.queue q WHERE q.lane = l.id)
          AND EXISTS (SELECT FROM raclette.worker w WHERE w.deadline > clock_timestamp())
          AND NOT EXISTS (
            SELECT FROM raclette.worker w
            WHERE w.deadline > clock_timestamp() AND NOT w.is_draining
              AND (w.only_batch IS NULL OR w.only_batch = b.id)
              AND raclette.fits(u.amount, raclette.stock(w, l, u.name), 0) > 0)))
      ORDER BY b.id), '[]')
    FROM raclette.batch b WHERE b.ended IS NULL)

-- What waits, runs and works, in one snapshot. What is claimed and not begun still waits.
SELECT
  (SELECT count(*) FROM raclette.queue)
    + (SELECT count(*) FROM raclette.later)
    + (SELECT count(*) FROM raclette.claim WHERE begun IS NULL),
  (SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL),
  (SELECT extract(epoch FROM clock_timestamp() - min(b.submitted))
    FROM raclette.batch b
    WHERE b.ended IS NULL AND (
      EXISTS (SELECT FROM raclette.lane l JOIN raclette.queue q ON q.lane = l.id
        WHERE l.batch = b.id)
      OR EXISTS (SELECT FROM raclette.later l WHERE l.batch = b.id)
      OR EXISTS (SELECT FROM raclette.claim c WHERE c.batch = b.id AND c.begun IS NULL))),
  (SELECT count(*) FROM raclette.ended WHERE at > clock_timestamp() - interval '1 minute'),
  (SELECT coalesce(json_agg(json_build_object(
      'name', w.name, 'version', w.version, 'jobs', w.jobs, 'tags', w.tags,
      'running', (
        SELECT count(*) FROM raclette.claim c WHERE c.worker = w.id AND c.begun IS NOT NULL),
      'draining', w.is_draining,
      'batch', w.only_batch,
      'joined', extract(epoch FROM w.joined), 'seen', extract(epoch FROM w.seen))
      ORDER BY w.joined, w.id), '[]')
    FROM raclette.worker w WHERE w.deadline > clock_timestamp()),
  (SELECT coalesce(json_agg(json_build_object(
      'batch', b.id, 'plan', b.plan, 'submitter', b.submitter,
      'submitted', extract(epoch FROM b.submitted), 'entries', b.size,
      'ended', (SELECT count(*) FROM raclette.ended d WHERE d.batch = b.id),
      'running', (
        SELECT count(*) FROM raclette.claim c WHERE c.batch = b.id AND c.begun IS NOT NULL),
      'cancelled', b.cancelled IS NOT NULL)
      ORDER BY b.id), '[]')
    FROM raclette.batch b WHERE b.ended IS NULL)

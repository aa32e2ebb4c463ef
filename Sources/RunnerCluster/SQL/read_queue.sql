-- What a panel shows, in one snapshot: the time, the batches that have not ended or have ended after
-- $2, the workers, what waits ($1 entries at most, those that come first) and what workers hold. The
-- panel knows the inputs of the entries $3, and is told only the beginning of a long one.
SELECT extract(epoch FROM clock_timestamp()),
  ARRAY(
    SELECT id FROM raclette.batch WHERE ended IS NULL OR ended > to_timestamp($2::double precision)
    ORDER BY id),
  (SELECT coalesce(json_agg(json_build_object(
      'name', w.name, 'jobs', w.jobs, 'running', (
        SELECT count(*) FROM raclette.claim c WHERE c.worker = w.id AND c.begun IS NOT NULL),
      'tags', w.tags, 'draining', w.is_draining) ORDER BY w.joined, w.id), '[]')
    FROM raclette.worker w WHERE w.deadline > clock_timestamp()),
  (SELECT coalesce(json_agg(json_build_object(
      'id', e.id, 'batch', e.batch, 'command', e.command, 'input', CASE
        WHEN e.id = ANY ($3::bigint[]) THEN NULL
        WHEN octet_length(e.input) > 65536 THEN to_json(left(e.input, 1000) || '…')::text
        ELSE e.input END,
      'created', extract(epoch FROM b.submitted), 'state', x.state, 'worker', x.worker,
      'attempt', x.attempt, 'started', extract(epoch FROM x.begun)) ORDER BY e.id), '[]')
    FROM (
      -- What a worker holds that has not begun waits, and so does what one held whose lease is over.
      SELECT c.entry, CASE
          WHEN r.begun IS NULL THEN 'queued' WHEN c.is_cancelled THEN 'cancelling' ELSE 'running'
        END AS state, CASE WHEN r.begun IS NOT NULL THEN w.name END AS worker, c.attempt, r.begun
      FROM raclette.claim c JOIN raclette.worker w ON w.id = c.worker
      CROSS JOIN LATERAL (
        SELECT CASE WHEN w.deadline > clock_timestamp() THEN c.begun END AS begun) AS r
      UNION ALL
      (SELECT q.entry, 'queued', NULL, q.attempt + 1, NULL
        FROM raclette.batch b JOIN raclette.lane l ON l.batch = b.id
        CROSS JOIN LATERAL (
          SELECT * FROM raclette.queue WHERE queue.lane = l.id ORDER BY queue.entry LIMIT $1) AS q
        WHERE b.ended IS NULL ORDER BY q.entry LIMIT $1)
      UNION ALL
      (SELECT entry, 'queued', NULL, attempt + 1, NULL FROM raclette.later ORDER BY due LIMIT $1)
      UNION ALL
      (SELECT entry, 'queued', NULL, attempt + 1, NULL FROM raclette.awaiting ORDER BY entry LIMIT $1)
    ) AS x JOIN raclette.entry e ON e.id = x.entry
    JOIN raclette.batch b ON b.id = e.batch)

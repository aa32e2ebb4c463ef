-- Batches that resume: what equal entries of other batches have completed, or complete while the batch
-- is there, counts for them.
--
-- An entry whose equal is held by a worker, or by a batch with a worker of its own, waits for the end of
-- that one: it is skipped if that completes, and is executed if it fails or is cancelled. One whose
-- equal only waits, as its submitter or worker is gone, takes its place: it is executed here, and its
-- end is the end of both. If it is cancelled, the replaced one waits again.

-- Of some keys the equal entries of other batches that have completed or have not ended, each for one
-- place at most: `skipped` says for each place how many entries before it the submitter has left out.
CREATE OR REPLACE FUNCTION raclette.equal_entries(
  of_batch bigint, keys bytea[], skipped bigint[]
) RETURNS TABLE (place bigint, entry bigint, batch bigint, is_completed boolean)
LANGUAGE sql STABLE SET search_path = raclette, pg_temp SET jit = off SET enable_seqscan = off AS $$
  WITH asked AS (
    SELECT k.place, k.key, k.skipped + row_number() OVER (PARTITION BY k.key ORDER BY k.place) AS rank
    FROM unnest(keys, skipped) WITH ORDINALITY AS k(key, skipped, place))
  SELECT a.place, x.id, x.batch, x.state IS NOT NULL
  FROM asked a CROSS JOIN LATERAL (
    SELECT e.id, e.batch, d.state
    FROM entry e LEFT JOIN ended d ON d.entry = e.id
    WHERE e.key = a.key AND e.batch <> of_batch
      AND (d.state = 'completed'
        OR d.entry IS NULL AND NOT EXISTS (SELECT FROM awaiting w WHERE w.entry = e.id))
      -- Those that entries of this batch wait for are taken.
      AND NOT EXISTS (SELECT FROM awaiting w WHERE w.other = e.id AND w.batch = of_batch)
    ORDER BY d.state IS NULL, e.id
    OFFSET a.rank - 1 + (
      SELECT count(*) FROM entry m JOIN ended n ON n.entry = m.id
      WHERE m.key = a.key AND m.batch = of_batch AND n.state = 'skipped')
    LIMIT 1) AS x
$$;

-- Lets entries wait for equal ones.
CREATE OR REPLACE FUNCTION raclette.await_others(of_entries bigint[], others bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp SET jit = off SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  kept bigint[];
BEGIN
  -- Who ends one of these waits until the rows below are there to be marked.
  WITH claimed AS (
    SELECT entry FROM claim WHERE entry = ANY (others) FOR SHARE SKIP LOCKED),
  queued AS (
    SELECT q.entry FROM entry e JOIN lane l ON l.batch = e.batch
      JOIN queue q ON q.lane = l.id AND q.entry = e.id
    WHERE e.id = ANY (others) FOR SHARE OF q SKIP LOCKED),
  delayed AS (SELECT entry FROM later WHERE entry = ANY (others) FOR SHARE SKIP LOCKED)
  SELECT array_agg(entry) INTO kept
  FROM (TABLE claimed UNION ALL TABLE queued UNION ALL TABLE delayed) AS found;
  INSERT INTO awaiting (
    entry, batch, lane, other, other_batch, is_replaced, attempt, losses, is_due)
  SELECT w.entry, q.batch, q.lane, w.other, o.batch, false, 0, 0, kept IS NULL OR k IS NULL
  FROM unnest(of_entries, others) AS w(entry, other)
    JOIN entry e ON e.id = w.entry JOIN lane l ON l.batch = e.batch
    JOIN queue q ON q.lane = l.id AND q.entry = w.entry
    JOIN entry o ON o.id = w.other
    LEFT JOIN unnest(kept) AS k ON k = w.other;
  DELETE FROM queue q USING awaiting w
  WHERE w.entry = ANY (of_entries) AND q.lane = w.lane AND q.entry = w.entry;
  PERFORM take_over();
END $$;

-- Lets entries take the places of those that only wait, of batches without a worker of their own. Takes
-- no lock of a batch; what somebody else is moving is left to the next call.
CREATE OR REPLACE FUNCTION raclette.take_over() RETURNS void
LANGUAGE sql SET search_path = raclette, pg_temp SET jit = off SET enable_seqscan = off AS $$
  WITH RECURSIVE other(batch) AS (
    SELECT min(other_batch) FROM awaiting WHERE NOT is_replaced
    UNION ALL
    SELECT (SELECT min(w.other_batch) FROM awaiting w
      WHERE NOT w.is_replaced AND w.other_batch > other.batch)
    FROM other WHERE other.batch IS NOT NULL),
  waiting AS (
    SELECT w.entry, w.batch, w.lane, w.other FROM other o CROSS JOIN LATERAL (
      SELECT w.entry, w.batch, w.lane, w.other FROM awaiting w
      WHERE w.other_batch = o.batch AND NOT w.is_replaced
        AND NOT EXISTS (SELECT FROM claim c WHERE c.entry = w.other)
        AND NOT EXISTS (SELECT FROM ended d WHERE d.entry = w.other)
      LIMIT 20000 FOR UPDATE SKIP LOCKED) AS w
    WHERE NOT EXISTS (
      SELECT FROM worker k WHERE k.only_batch = o.batch AND k.deadline > clock_timestamp())),
  queued AS (
    DELETE FROM queue WHERE ctid = ANY (ARRAY(
      SELECT q.ctid FROM waiting w JOIN entry e ON e.id = w.other JOIN lane l ON l.batch = e.batch
        JOIN queue q ON q.lane = l.id AND q.entry = e.id
      FOR UPDATE OF q SKIP LOCKED))
    RETURNING entry, batch, lane, attempt, losses),
  delayed AS (
    DELETE FROM later WHERE ctid = ANY (ARRAY(
      SELECT d.ctid FROM waiting w JOIN later d ON d.entry = w.other FOR UPDATE OF d SKIP LOCKED))
    RETURNING entry, batch, lane, attempt, losses),
  found AS (TABLE queued UNION ALL TABLE delayed),
  -- One of several that wait for the same entry takes its place.
  successor AS (
    SELECT DISTINCT ON (f.entry) f.entry AS replaced, f.batch AS replaced_batch,
      f.lane AS replaced_lane, f.attempt, f.losses, w.entry, w.batch, w.lane
    FROM found f JOIN waiting w ON w.other = f.entry ORDER BY f.entry, w.entry),
  begun AS (
    INSERT INTO queue (lane, entry, batch, attempt, losses)
    SELECT lane, entry, batch, attempt, losses FROM successor),
  gone AS (DELETE FROM awaiting a USING successor s WHERE a.entry = s.entry),
  -- The others wait for that one from now on.
  moved AS (
    UPDATE awaiting a SET other = s.entry, other_batch = s.batch, is_due = true
    FROM successor s, waiting w
    WHERE w.other = s.replaced AND w.entry <> s.entry AND a.entry = w.entry)
  INSERT INTO awaiting (entry, batch, lane, other, other_batch, is_replaced, attempt, losses)
  SELECT replaced, replaced_batch, replaced_lane, entry, batch, true, attempt, losses FROM successor
$$;

-- Marks what waits for entries that have just ended.
CREATE OR REPLACE FUNCTION raclette.mark_due() RETURNS trigger
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE awaiting SET is_due = true
  WHERE other IN (SELECT entry FROM new_ends) AND NOT is_due;
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS mark_due ON raclette.ended;
CREATE TRIGGER mark_due AFTER INSERT ON raclette.ended
REFERENCING NEW TABLE AS new_ends FOR EACH STATEMENT EXECUTE FUNCTION raclette.mark_due();

-- Goes on with entries whose equal has ended or only waits.
CREATE OR REPLACE FUNCTION raclette.resume_awaiting() RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  locked bigint[];
  concluded bigint[];
BEGIN
  PERFORM take_over();
  IF NOT EXISTS (SELECT FROM awaiting WHERE is_due) THEN RETURN; END IF;
  -- Another entry may have taken the place of the one that it waits for.
  UPDATE awaiting w SET other = o.other, other_batch = o.other_batch
  FROM awaiting o
  WHERE w.entry = ANY (ARRAY(
      SELECT a.entry FROM awaiting a JOIN awaiting b ON b.entry = a.other
      WHERE a.is_due AND NOT a.is_replaced AND b.is_replaced
      ORDER BY a.entry FOR UPDATE OF a SKIP LOCKED))
    AND o.entry = w.other;
  locked := ARRAY(
    SELECT id FROM batch WHERE id IN (SELECT w.batch FROM awaiting w WHERE w.is_due)
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED);
  WITH due AS (
    SELECT w.entry AS waiting, w.batch, w.lane, w.attempt, w.losses, w.is_replaced, d.entry, d.state,
      d.code, d.error_kind, d.error
    FROM awaiting w LEFT JOIN ended d ON d.entry = w.other
    WHERE w.is_due AND w.batch = ANY (locked)
      AND (d.entry IS NOT NULL OR NOT EXISTS (SELECT FROM entry e WHERE e.id = w.other))
    ORDER BY w.entry LIMIT 10000 FOR UPDATE OF w SKIP LOCKED),
  gone AS (DELETE FROM awaiting a USING due WHERE a.entry = due.waiting),
  again AS (
    INSERT INTO queue (lane, entry, batch, attempt, losses)
    SELECT lane, waiting, batch, attempt, losses FROM due
    WHERE state IS NULL OR state = 'cancelled' OR state = 'failed' AND NOT is_replaced),
  new AS (
    INSERT INTO ended (
      entry, batch, token, worker, worker_name, attempt, state, duration, attempts, code, error_kind,
      error)
    SELECT waiting, batch, 0, 0, '', 0,
      CASE state WHEN 'failed' THEN 'failed' ELSE 'skipped' END, 0, 0, code, error_kind,
      CASE state WHEN 'completed' THEN 'completed as #' || entry ELSE error END
    FROM due
    WHERE state IN ('completed', 'skipped') OR state = 'failed' AND is_replaced
    ON CONFLICT DO NOTHING
    RETURNING entry)
  SELECT array_agg(entry) INTO concluded FROM new;
  PERFORM tell_ends(concluded, '{}');
  PERFORM pg_notify('raclette_work', '');
END $$;

-- How entries end without a result of a worker, and how they go back.

-- An event about an entry that the server itself has made.
CREATE OR REPLACE FUNCTION raclette.entry_event(
  of_entry bigint, type text, extra jsonb
) RETURNS text LANGUAGE sql STABLE SET search_path = raclette, pg_temp AS $$
  SELECT (jsonb_strip_nulls(jsonb_build_object(
    'ts', round(extract(epoch FROM clock_timestamp())::numeric, 6), 'type', type,
    'command', nullif(e.command, ''),
    'entry', jsonb_build_object(
      'plan', e.plan, 'line', e.line, 'id', e.name, 'recorded', e.id),
    'batch', e.batch)) || extra)::text
  FROM entry e WHERE e.id = of_entry
$$;

-- Adds events of the server itself. Their writers take turns by the lock of the batch: a reader goes
-- by the order of rows.
CREATE OR REPLACE FUNCTION raclette.tell(of_batch bigint, new_events text) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM FROM batch WHERE id = of_batch FOR NO KEY UPDATE;
  INSERT INTO output (batch, worker, events) VALUES (of_batch, 0, new_events);
  PERFORM pg_notify('raclette_batch_' || of_batch, '');
END $$;

-- Shows ends that have just been recorded, and cancels the rest of the batches whose submitters want
-- that after the first failure: those of the entries that have failed, and `failing`.
CREATE OR REPLACE FUNCTION raclette.tell_ends(of_entries bigint[], failing bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  one record;
BEGIN
  FOR one IN
    WITH told AS (
      SELECT d.batch, d.entry, d.state = 'failed' AS has_failed,
        -- A row has the events of some entries.
        row_number() OVER (PARTITION BY d.batch ORDER BY d.entry) / 200 AS part,
        entry_event(
          d.entry, CASE d.state WHEN 'failed' THEN 'error' ELSE d.state END,
          jsonb_strip_nulls(jsonb_build_object('worker', nullif(d.worker_name, ''),
            'reason', CASE d.state WHEN 'skipped' THEN d.error END, 'error',
            CASE d.state WHEN 'failed' THEN
              jsonb_build_object('kind', d.error_kind, 'message', d.error) END))) AS event
      FROM ended d WHERE d.entry = ANY (of_entries)),
    parts AS (
      SELECT batch, part, string_agg(event, E'\n' ORDER BY entry) AS events,
        bool_or(has_failed) AS has_failed
      FROM told GROUP BY batch, part
      UNION ALL SELECT f, 0, NULL, true FROM unnest(failing) AS f)
    SELECT batch, array_agg(events ORDER BY part) FILTER (WHERE events IS NOT NULL) AS rows,
      bool_or(has_failed) AS has_failed
    FROM parts GROUP BY batch ORDER BY batch
  LOOP
    PERFORM tell(one.batch, r.events)
    FROM unnest(one.rows) WITH ORDINALITY AS r(events, place) ORDER BY r.place;
    IF one.has_failed THEN PERFORM fail_fast(one.batch); END IF;
  END LOOP;
END $$;

-- Records ends that no worker reports.
CREATE OR REPLACE FUNCTION raclette.conclude(
  of_entries bigint[], new_state text, new_kind text, new_error text
) RETURNS void LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  concluded bigint[];
BEGIN
  IF coalesce(cardinality(of_entries), 0) = 0 THEN RETURN; END IF;
  WITH new AS (
    INSERT INTO ended (
      entry, batch, token, worker, worker_name, attempt, state, duration, attempts, error_kind,
      error)
    SELECT id, batch, 0, 0, '', 0, new_state, 0, 0, new_kind, new_error
    FROM entry WHERE id = ANY (of_entries)
    ON CONFLICT DO NOTHING
    RETURNING entry)
  SELECT array_agg(entry) INTO concluded FROM new;
  PERFORM tell_ends(concluded, '{}');
END $$;

-- Cancels the rest of a batch whose submitter wants that after the first failure.
CREATE OR REPLACE FUNCTION raclette.fail_fast(of_batch bigint) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE batch SET cancelled = clock_timestamp()
  WHERE id = of_batch AND fail_fast AND cancelled IS NULL;
  IF FOUND THEN PERFORM cancel_entries(of_batch); END IF;
END $$;

-- Entries go back when their claims are removed. The reasons are
--
--   returned     it has not begun
--   forgotten    the worker knows nothing of the claim, or has left
--   interrupted  the worker has cancelled it to leave
--   not_enabled  its command was not enabled
--   crashed      the process that had it has ended
--   lost         the worker's lease is over
--   outage       the worker's lease is over because the server was away
--
-- What a worker has had may have begun, although it has not said so, and then it counts as an attempt.
-- Losses are counted in halves: an execution that a worker was lost with is two, an entry that it only
-- held is one. With six of them the entry has failed.
CREATE OR REPLACE FUNCTION raclette.loss(reason text, begun timestamptz) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN reason = 'crashed' OR reason = 'lost' AND begun IS NOT NULL THEN 2
    WHEN reason = 'lost' THEN 1
    ELSE 0 END
$$;

-- Puts entries back into the queue, each for a reason.
CREATE OR REPLACE FUNCTION raclette.requeue(gone raclette.claim[], reasons text[]) RETURNS void
LANGUAGE sql SET search_path = raclette, pg_temp AS $$
  WITH back AS (
    SELECT lane, entry, batch,
      attempt - (
        reason IN ('returned', 'not_enabled')
          OR reason = 'forgotten' AND begun IS NULL)::integer AS attempt,
      losses + loss(reason, begun) AS losses,
      CASE WHEN reason = 'not_enabled' THEN coalesce(waits_since, clock_timestamp())
        ELSE waits_since END AS waits_since,
      reason IN ('crashed', 'not_enabled') AS is_later
    FROM unnest(reasons, gone) AS g(reason)),
  delayed AS (
    INSERT INTO later (entry, due, lane, batch, attempt, losses, waits_since)
    SELECT entry, clock_timestamp() + interval '1 second', lane, batch, attempt, losses, waits_since
    FROM back WHERE is_later)
  INSERT INTO queue (lane, entry, batch, attempt, losses, waits_since)
  SELECT lane, entry, batch, attempt, losses, waits_since FROM back WHERE NOT is_later
$$;

-- Decides about entries whose claims have been removed, each for a reason: those that are cancelled or
-- lost have ended, and the others go back.
CREATE OR REPLACE FUNCTION raclette.give_back(gone raclette.claim[], reasons text[]) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  one record;
  kept claim[];
  kept_reasons text[];
BEGIN
  IF coalesce(cardinality(gone), 0) = 0 THEN RETURN; END IF;
  PERFORM FROM batch WHERE id IN (SELECT batch FROM unnest(gone)) ORDER BY id FOR NO KEY UPDATE;
  SELECT array_agg(c ORDER BY place), array_agg(reason ORDER BY place) INTO kept, kept_reasons
  FROM (
    SELECT g.place, g.reason, gone[g.place] AS c FROM unnest(reasons, gone) WITH ORDINALITY
      AS g(reason, token, worker, lane, entry, batch, attempt, losses, waits_since, claimed, begun,
        is_cancelled, place)
      JOIN batch b ON b.id = g.batch
    WHERE NOT g.is_cancelled AND b.cancelled IS NULL
      AND g.losses + loss(g.reason, g.begun) < 6) AS k;
  PERFORM conclude(
    ARRAY(
      SELECT g.entry FROM unnest(gone) AS g JOIN batch b ON b.id = g.batch
      WHERE g.is_cancelled OR b.cancelled IS NOT NULL),
    'cancelled', 'cancelled', 'the execution was cancelled');
  FOR one IN
    SELECT array_agg(g.entry) AS entries, w.name, g.begun IS NOT NULL AS has_begun
    FROM unnest(reasons, gone) AS g(reason) LEFT JOIN worker w ON w.id = g.worker
    WHERE g.losses + loss(g.reason, g.begun) >= 6
    GROUP BY w.name, g.begun IS NOT NULL
  LOOP
    PERFORM conclude(one.entries, 'failed', 'lost', CASE WHEN one.has_begun
      THEN 'three workers were lost while they executed it, the last of them '
      ELSE 'one worker after the other was lost while it held it, the last of them ' END
      || one.name);
  END LOOP;
  PERFORM tell(batch, string_agg(event, E'\n' ORDER BY entry))
  FROM (
    SELECT g.batch, g.entry, entry_event(g.entry, 'retry', jsonb_build_object(
      'attempt', g.attempt + 1, 'delay', 0, 'error', jsonb_build_object(
        'kind', 'lost', 'message', 'the lease of worker ' || w.name || ' is over'))) AS event
    FROM unnest(kept_reasons, kept) AS g(reason) JOIN worker w ON w.id = g.worker
    WHERE g.reason = 'lost' AND g.begun IS NOT NULL) AS retried
  GROUP BY batch;
  PERFORM requeue(kept, kept_reasons);
END $$;

-- Gives back what workers held whose lease is over, and what `forgotten` has: claims that have been
-- removed.
CREATE OR REPLACE FUNCTION raclette.reap(forgotten raclette.claim[]) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  lost bigint[] := ARRAY(
    SELECT id FROM worker WHERE deadline < clock_timestamp() ORDER BY id FOR UPDATE SKIP LOCKED);
  gone claim[];
  reasons text[];
BEGIN
  WITH removed AS (DELETE FROM claim c WHERE c.worker = ANY (lost) RETURNING c)
  SELECT array_agg(r.c), array_agg(
    -- An outage of the server is no fault of the entry.
    CASE WHEN w.seen > pg_postmaster_start_time() THEN 'lost' ELSE 'outage' END)
  INTO gone, reasons
  FROM removed r JOIN worker w ON w.id = (r.c).worker;
  PERFORM give_back(
    forgotten || gone,
    array_fill('forgotten'::text, ARRAY[coalesce(cardinality(forgotten), 0)]) || reasons);
  IF cardinality(lost) > 0 THEN
    DELETE FROM worker WHERE id = ANY (lost);
    PERFORM pg_notify('raclette_work', '');
  END IF;
END $$;

-- Goes on with what waits for other entries, and ends the batches of which nothing is left.
CREATE OR REPLACE FUNCTION raclette.settle() RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  one record;
BEGIN
  PERFORM resume_awaiting();
  FOR one IN
    SELECT id FROM batch b
    WHERE ended IS NULL AND size IS NOT NULL
      AND NOT EXISTS (SELECT FROM claim WHERE claim.batch = b.id)
      AND NOT EXISTS (SELECT FROM later WHERE later.batch = b.id)
      AND NOT EXISTS (SELECT FROM lane JOIN queue ON queue.lane = lane.id WHERE lane.batch = b.id)
      -- A move from one of these tables to another is seen in none of them while it is committed.
      AND (SELECT count(*) FROM ended WHERE ended.batch = b.id) = size
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
  LOOP
    UPDATE batch SET ended = clock_timestamp() WHERE id = one.id;
    -- Their keys tell something about inputs.
    DELETE FROM need WHERE need.batch = one.id;
    PERFORM pg_notify('raclette_batch_' || one.id, 'ended');
  END LOOP;
END $$;

-- Removes what waits of a batch for a reason that the caller records. What somebody else is moving
-- stays: whoever claims waits for no lock, and whoever has locked a batch waits for none of its entries.
CREATE OR REPLACE FUNCTION raclette.take_waiting(of_batch bigint)
RETURNS bigint[] LANGUAGE sql SET search_path = raclette, pg_temp AS $$
  WITH queued AS (
    DELETE FROM queue WHERE ctid = ANY (ARRAY(
      SELECT q.ctid FROM lane l JOIN queue q ON q.lane = l.id WHERE l.batch = of_batch
      FOR UPDATE OF q SKIP LOCKED))
    RETURNING queue.entry),
  delayed AS (
    DELETE FROM later WHERE ctid = ANY (ARRAY(
      SELECT l.ctid FROM later l WHERE l.batch = of_batch FOR UPDATE SKIP LOCKED))
    RETURNING later.entry),
  awaiting_others AS (
    DELETE FROM awaiting WHERE ctid = ANY (ARRAY(
      SELECT w.ctid FROM awaiting w WHERE w.batch = of_batch FOR UPDATE SKIP LOCKED))
    RETURNING awaiting.entry)
  SELECT coalesce(array_agg(entry), '{}')
  FROM (TABLE queued UNION ALL TABLE delayed UNION ALL TABLE awaiting_others) AS entries
$$;

-- Cancels what waits of a batch that is marked as cancelled, and asks workers to cancel what they hold.
-- What it misses because somebody moves it is left to `sweep_cancelled`.
CREATE OR REPLACE FUNCTION raclette.cancel_entries(of_batch bigint) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM conclude(
    take_waiting(of_batch), 'cancelled', 'cancelled', 'the execution was cancelled');
  UPDATE claim SET is_cancelled = true WHERE token = ANY (ARRAY(
    SELECT c.token FROM claim c WHERE c.batch = of_batch AND NOT c.is_cancelled
    FOR UPDATE SKIP LOCKED));
  IF FOUND THEN PERFORM pg_notify('raclette_work', 'cancel'); END IF;
END $$;

-- Cancels what was on the way from one table to another while its batch was cancelled.
CREATE OR REPLACE FUNCTION raclette.sweep_cancelled() RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM cancel_entries(id)
  FROM (
    SELECT id FROM batch WHERE ended IS NULL AND cancelled IS NOT NULL
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) AS cancelled;
END $$;

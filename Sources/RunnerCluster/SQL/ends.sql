-- How entries end without a result of a worker, and what they leave.

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

-- Adds events of the server itself. Their writers take turns: a reader goes by the order of rows.
CREATE OR REPLACE FUNCTION raclette.tell(of_batch bigint, new_events text) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(7266, of_batch::integer);
  INSERT INTO output (batch, worker, events) VALUES (of_batch, 0, new_events);
  PERFORM pg_notify('raclette_batch_' || of_batch, '');
END $$;

-- Records ends that no worker reports.
CREATE OR REPLACE FUNCTION raclette.conclude(
  of_entries bigint[], new_state text, new_kind text, new_error text
) RETURNS void LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  one record;
BEGIN
  FOR one IN
    WITH new AS (
      INSERT INTO ended (
        entry, batch, token, worker, worker_name, attempt, state, duration, attempts, error_kind,
        error)
      SELECT id, batch, 0, 0, '', 0, new_state, 0, 0, new_kind, new_error
      FROM entry WHERE id = ANY (of_entries)
      ON CONFLICT DO NOTHING
      RETURNING entry, batch)
    SELECT batch, string_agg(
      entry_event(
        entry, CASE new_state WHEN 'failed' THEN 'error' ELSE new_state END,
        CASE new_state WHEN 'failed'
          THEN jsonb_build_object('error', jsonb_build_object('kind', new_kind, 'message', new_error))
          ELSE '{}' END), E'\n' ORDER BY entry) AS events
    FROM new GROUP BY batch ORDER BY batch
  LOOP
    PERFORM tell(one.batch, one.events);
  END LOOP;
END $$;

-- Gives back what workers held whose lease is over. An entry that took three of them with it is lost.
CREATE OR REPLACE FUNCTION raclette.reap() RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  gone record;
  one record;
BEGIN
  FOR gone IN
    SELECT id, name, seen FROM worker WHERE deadline < clock_timestamp() FOR UPDATE SKIP LOCKED
  LOOP
    FOR one IN
      DELETE FROM claim WHERE claim.worker = gone.id
      RETURNING entry, lane, batch, attempt, losses, waits_since, is_cancelled, begun
    LOOP
      -- An outage of the server is no fault of the entry.
      IF one.begun IS NOT NULL AND gone.seen > pg_postmaster_start_time() THEN
        one.losses := one.losses + 1;
      END IF;
      IF one.is_cancelled THEN
        PERFORM conclude(ARRAY[one.entry], 'cancelled', 'cancelled', 'the execution was cancelled');
      ELSIF one.losses >= 3 THEN
        PERFORM conclude(ARRAY[one.entry], 'failed', 'lost',
          'three workers were lost while they executed it, the last of them ' || gone.name);
      ELSE
        INSERT INTO queue (lane, entry, batch, attempt, losses, waits_since)
        VALUES (one.lane, one.entry, one.batch, one.attempt, one.losses, one.waits_since);
        IF one.begun IS NOT NULL THEN
          PERFORM tell(one.batch, entry_event(one.entry, 'retry', jsonb_build_object(
            'attempt', one.attempt + 1, 'delay', 0, 'error', jsonb_build_object(
              'kind', 'lost', 'message', 'the lease of worker ' || gone.name || ' is over'))));
        END IF;
      END IF;
    END LOOP;
    DELETE FROM worker WHERE worker.id = gone.id;
    PERFORM pg_notify('raclette_work', '');
  END LOOP;
END $$;

-- Ends the batches of which nothing is left.
CREATE OR REPLACE FUNCTION raclette.settle() RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT id FROM batch b
    WHERE ended IS NULL AND size IS NOT NULL
      AND NOT EXISTS (SELECT FROM claim WHERE claim.batch = b.id)
      AND NOT EXISTS (SELECT FROM later WHERE later.batch = b.id)
      AND NOT EXISTS (SELECT FROM lane JOIN queue ON queue.lane = lane.id WHERE lane.batch = b.id)
      -- A move from one of these tables to another is seen in none of them while it is committed.
      AND (SELECT count(*) FROM ended WHERE ended.batch = b.id) = size
    ORDER BY id FOR UPDATE SKIP LOCKED
  LOOP
    UPDATE batch SET ended = clock_timestamp() WHERE id = one.id;
    PERFORM pg_notify('raclette_batch_' || one.id, 'ended');
  END LOOP;
END $$;

-- Removes what waits of a batch, or one entry if it waits, for a reason that the caller records.
CREATE OR REPLACE FUNCTION raclette.take_waiting(of_batch bigint, only_entry bigint)
RETURNS bigint[] LANGUAGE sql SET search_path = raclette, pg_temp AS $$
  WITH queued AS (
    DELETE FROM queue WHERE queue.lane IN (SELECT id FROM lane WHERE lane.batch = of_batch)
      AND (only_entry IS NULL OR queue.entry = only_entry) RETURNING queue.entry),
  delayed AS (
    DELETE FROM later WHERE later.batch = of_batch
      AND (only_entry IS NULL OR later.entry = only_entry) RETURNING later.entry)
  SELECT coalesce(array_agg(entry), '{}') FROM (TABLE queued UNION ALL TABLE delayed) AS entries
$$;

-- Cancels what waits, and asks workers to cancel what they hold.
CREATE OR REPLACE FUNCTION raclette.cancel_entries(of_batch bigint, only_entry bigint)
RETURNS TABLE (waiting bigint, running bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  found bigint[] := take_waiting(of_batch, only_entry);
BEGIN
  PERFORM conclude(found, 'cancelled', 'cancelled', 'the execution was cancelled');
  waiting := cardinality(found);
  UPDATE claim SET is_cancelled = true
  WHERE claim.batch = of_batch AND (only_entry IS NULL OR claim.entry = only_entry);
  GET DIAGNOSTICS running = ROW_COUNT;
  IF running > 0 THEN PERFORM pg_notify('raclette_work', 'cancel'); END IF;
  RETURN NEXT;
END $$;

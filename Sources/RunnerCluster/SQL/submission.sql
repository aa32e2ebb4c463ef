-- What submitters and readers call. Each call may be sent again after a lost connection.

-- Begins a batch, whose bundle is there; returns its number.
CREATE OR REPLACE FUNCTION raclette.submit_batch(
  new_submission uuid, new_plan text, new_folder text, new_submitter text, new_bundle text,
  new_options text, fails_fast boolean, new_enabled_timeout double precision,
  is_resumption boolean DEFAULT false
) RETURNS bigint LANGUAGE sql SET search_path = raclette, pg_temp AS $$
  INSERT INTO batch (
    submission, plan, folder, submitter, bundle, options, fail_fast, enabled_timeout,
    submitter_seen, resumes)
  VALUES (
    new_submission, new_plan, new_folder, new_submitter, new_bundle, new_options, fails_fast,
    new_enabled_timeout, clock_timestamp(), is_resumption)
  ON CONFLICT (submission) DO UPDATE SET plan = excluded.plan
  RETURNING id
$$;

-- Adds entries from a place on, from 1. Those with a problem fail at once, as input errors. new_tags
-- has a sorted list of tags for each, separated by commas. new_skipped has for each how many equal ones
-- before it the submitter of a resumption has left out, new_uses what its execution uses, and new_offers
-- what the command file offers. Returns the numbers of the entries, none for
-- those that come after the batch was closed; and of those that wait for an equal one the batch of that
-- (see resumption.sql).
CREATE OR REPLACE FUNCTION raclette.submit_entries(
  of_batch bigint, first_place bigint, new_kinds text[], new_commands text[], new_inputs text[],
  new_names text[], new_plans text[], new_lines bigint[], new_keys bytea[], new_tags text[],
  new_problems text[], new_gates text[], new_limits integer[], new_policies text[],
  new_skipped bigint[] DEFAULT NULL, new_uses text[] DEFAULT NULL, new_offers jsonb DEFAULT '{}'
) RETURNS TABLE (entry bigint, awaited bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  self batch;
  -- What this call has added: it may be the second one with these entries.
  new_entries bigint[];
  sound bigint[];
  awaiting_others bigint[];
  others bigint[];
  failing record;
BEGIN
  -- Resumptions of one plan at a time see each other's entries.
  IF (SELECT resumes FROM batch WHERE id = of_batch) THEN PERFORM pg_advisory_xact_lock(7268); END IF;
  UPDATE batch SET submitter_seen = clock_timestamp() WHERE id = of_batch RETURNING * INTO self;
  IF self.size IS NULL THEN
    INSERT INTO gate SELECT DISTINCT g FROM unnest(new_gates) AS g WHERE g <> '' ORDER BY g
    ON CONFLICT DO NOTHING;
    INSERT INTO lane (batch, tags, gate, gate_limit, gate_policy, uses, offers)
    SELECT DISTINCT of_batch, string_to_array(g.tags, ','), g.gate, g.size, g.policy,
      coalesce(g.uses, '{}')::jsonb, new_offers
    FROM unnest(new_tags, new_gates, new_limits, new_policies, new_uses)
      AS g(tags, gate, size, policy, uses)
    ON CONFLICT DO NOTHING;
    WITH given AS (
      SELECT * FROM unnest(
        new_kinds, new_commands, new_inputs, new_names, new_plans, new_lines, new_keys, new_tags,
        new_problems, new_gates, new_uses) WITH ORDINALITY
        AS g(kind, command, input, name, plan, line, key, tags, problem, gate, uses, place)),
    equals AS (
      SELECT q.place, q.entry FROM equal_entries(
        of_batch, ARRAY(SELECT CASE WHEN problem IS NULL THEN key END FROM given ORDER BY place),
        new_skipped) AS q
      WHERE self.resumes AND self.cancelled IS NULL),
    new AS (
      INSERT INTO entry (batch, place, kind, command, input, name, plan, line, key)
      SELECT of_batch, first_place + place - 1, kind, command, input, name, plan, line, key
      FROM given ORDER BY place
      ON CONFLICT (batch, place) DO NOTHING
      RETURNING id, place),
    queued AS (
      INSERT INTO queue (lane, entry, batch)
      SELECT l.id, n.id, of_batch
      FROM new n JOIN given g ON g.place = n.place - first_place + 1
        JOIN lane l ON l.batch = of_batch AND l.tags = string_to_array(g.tags, ',')
          AND l.gate = g.gate AND l.uses = coalesce(g.uses, '{}')::jsonb
      WHERE g.problem IS NULL AND self.cancelled IS NULL)
    SELECT array_agg(n.id), array_agg(n.id) FILTER (WHERE g.problem IS NULL),
      array_agg(n.id ORDER BY n.id) FILTER (WHERE q.entry IS NOT NULL),
      array_agg(q.entry ORDER BY n.id) FILTER (WHERE q.entry IS NOT NULL)
    INTO new_entries, sound, awaiting_others, others
    FROM new n JOIN given g ON g.place = n.place - first_place + 1
      LEFT JOIN equals q ON q.place = g.place;
    IF others IS NOT NULL THEN PERFORM await_others(awaiting_others, others); END IF;
    FOR failing IN
      SELECT array_agg(e.id) AS entries, p.problem
      FROM unnest(new_problems) WITH ORDINALITY AS p(problem, place)
        JOIN entry e ON e.batch = of_batch AND e.place = first_place + p.place - 1
      WHERE p.problem IS NOT NULL AND e.id = ANY (new_entries)
      GROUP BY p.problem ORDER BY min(e.id)
    LOOP
      PERFORM conclude(failing.entries, 'failed', 'input', failing.problem);
    END LOOP;
    IF self.cancelled IS NOT NULL THEN
      PERFORM conclude(sound, 'cancelled', 'cancelled', 'the execution was cancelled');
    END IF;
    PERFORM pg_notify('raclette_work', '');
  END IF;
  RETURN QUERY
    SELECT e.id, o.batch
    FROM entry e LEFT JOIN awaiting w ON w.entry = e.id AND NOT w.is_replaced
      LEFT JOIN entry o ON o.id = w.other
    WHERE e.batch = of_batch
      AND e.place BETWEEN first_place AND first_place + cardinality(new_kinds) - 1
    ORDER BY e.place;
END $$;

-- Says that the submitter is still there.
CREATE OR REPLACE FUNCTION raclette.keep_submission(of_batch bigint) RETURNS void
LANGUAGE sql SET search_path = raclette, pg_temp AS $$
  UPDATE batch SET submitter_seen = clock_timestamp() WHERE id = of_batch AND size IS NULL
$$;

-- Since when submitters can be heard of.
CREATE OR REPLACE FUNCTION raclette.server_started() RETURNS timestamptz
LANGUAGE sql STABLE AS 'SELECT pg_postmaster_start_time()';

-- Closes batches whose submitters have not been heard of for a minute: those who read them get to their
-- ends, and --resume hands over the rest of the plan.
CREATE OR REPLACE FUNCTION raclette.seal_abandoned() RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  one record;
  there bigint;
BEGIN
  FOR one IN
    SELECT id FROM batch
    WHERE ended IS NULL AND size IS NULL
      AND greatest(submitter_seen, submitted, server_started())
        < clock_timestamp() - interval '1 minute'
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
  LOOP
    UPDATE batch SET size = (SELECT count(*) FROM entry WHERE entry.batch = one.id)
    WHERE id = one.id RETURNING size INTO there;
    PERFORM tell(one.id, (jsonb_build_object(
      'ts', round(extract(epoch FROM clock_timestamp())::numeric, 6), 'type', 'log',
      'level', 'error', 'message', 'the submitter of this batch is gone: only the first ' || there
        || CASE there WHEN 1 THEN ' entry was' ELSE ' entries were' END || ' handed over',
      'batch', one.id))::text);
  END LOOP;
END $$;

-- Says that all entries have been submitted.
CREATE OR REPLACE FUNCTION raclette.seal_batch(of_batch bigint, new_size bigint) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE batch SET size = new_size WHERE id = of_batch AND size IS NULL;
  PERFORM settle();
END $$;

-- Output of a batch behind the places up to which a reader knows that of each worker.
CREATE OR REPLACE FUNCTION raclette.follow(
  of_batch bigint, known_workers bigint[], known_places bigint[]
) RETURNS TABLE (worker bigint, place bigint, events text)
LANGUAGE sql STABLE SET search_path = raclette, pg_temp SET jit = off SET enable_seqscan = off AS $$
  WITH RECURSIVE writer(worker) AS (
    (SELECT worker FROM output WHERE batch = of_batch ORDER BY worker LIMIT 1)
    UNION ALL
    SELECT (
      SELECT o.worker FROM output o WHERE o.batch = of_batch AND o.worker > writer.worker
      ORDER BY o.worker LIMIT 1)
    FROM writer WHERE writer.worker IS NOT NULL)
  -- Rows of 4 MiB at most, or one: each may be long, and a reader keeps an answer in memory.
  SELECT o.worker, o.place, o.events FROM (
  SELECT o.worker, o.place, o.events,
    sum(octet_length(o.events)) OVER (ORDER BY o.place) - octet_length(o.events) AS before
  FROM writer LEFT JOIN unnest(known_workers, known_places) AS k(worker, place)
      ON k.worker = writer.worker
    CROSS JOIN LATERAL (
      SELECT * FROM output o
      WHERE o.batch = of_batch AND o.worker = writer.worker AND o.place > coalesce(k.place, 0)
      ORDER BY o.place LIMIT 500) AS o
  WHERE writer.worker IS NOT NULL) AS o
  WHERE o.before < 4194304
  ORDER BY o.place
$$;

-- Cancels a batch, and closes it: its submitter may be gone. Returns how many entries had not been
-- claimed, and how many workers still hold.
CREATE OR REPLACE FUNCTION raclette.cancel_batch(of_batch bigint)
RETURNS TABLE (waiting bigint, running bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  there bigint;
  before bigint;
BEGIN
  PERFORM FROM batch WHERE id = of_batch FOR NO KEY UPDATE;
  there := (SELECT count(*) FROM entry WHERE entry.batch = of_batch);
  before := (SELECT count(*) FROM ended WHERE ended.batch = of_batch);
  UPDATE batch SET cancelled = coalesce(cancelled, clock_timestamp()), size = coalesce(size, there)
  WHERE id = of_batch;
  PERFORM cancel_entries(of_batch);
  -- With what is on its way to or from a worker.
  running := there - (SELECT count(*) FROM ended WHERE ended.batch = of_batch);
  waiting := there - before - running;
  PERFORM settle();
  RETURN NEXT;
END $$;

-- Cancels an entry.
CREATE OR REPLACE FUNCTION raclette.cancel_entry(of_entry bigint)
RETURNS TABLE (waiting bigint, running bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  waiting := 0;
  running := 0;
  -- It may be moved from one table to another between two looks. As no batch is locked here, each can
  -- wait for whoever moves it.
  FOR look IN 1..100 LOOP
    WITH queued AS (
      DELETE FROM queue WHERE entry = of_entry AND lane IN (
        SELECT l.id FROM entry e JOIN lane l ON l.batch = e.batch WHERE e.id = of_entry)
      RETURNING entry),
    delayed AS (DELETE FROM later WHERE entry = of_entry RETURNING entry),
    awaiting_other AS (DELETE FROM awaiting WHERE entry = of_entry RETURNING entry)
    SELECT count(*) INTO waiting
    FROM (TABLE queued UNION ALL TABLE delayed UNION ALL TABLE awaiting_other) AS found;
    EXIT WHEN waiting > 0;
    UPDATE claim SET is_cancelled = true WHERE entry = of_entry;
    GET DIAGNOSTICS running = ROW_COUNT;
    EXIT WHEN running > 0 OR EXISTS (SELECT FROM ended WHERE entry = of_entry);
  END LOOP;
  IF waiting > 0 THEN
    PERFORM conclude(
      ARRAY[of_entry], 'cancelled', 'cancelled', 'the execution was cancelled');
  END IF;
  IF running > 0 THEN PERFORM pg_notify('raclette_work', 'cancel'); END IF;
  PERFORM settle();
  RETURN NEXT;
END $$;

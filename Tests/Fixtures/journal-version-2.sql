-- The schema of version 2, as pg_dump writes it without owners and privileges.
SET check_function_bodies = false;

CREATE SCHEMA raclette;

CREATE FUNCTION raclette.accept(of_session uuid, of_batch bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  DELETE FROM refusal r USING worker w
  WHERE w.session = of_session AND r.worker = w.id AND r.batch = of_batch
$$;

CREATE FUNCTION raclette.batch_of(of_session uuid, of_batch bigint) RETURNS TABLE(bundle text, command_file text, options text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  SELECT b.bundle, u.command_file, b.options
  FROM batch b JOIN bundle u ON u.digest = b.bundle
  WHERE b.id = of_batch AND b.ended IS NULL
    AND EXISTS (SELECT FROM worker WHERE session = of_session)
$$;

CREATE FUNCTION raclette.beat(of_session uuid, is_new boolean, new_name text, new_version text, new_tags text[], new_jobs integer, draining boolean, of_batch bigint, lease double precision, held bigint[]) RETURNS TABLE(is_known boolean, cancelled bigint[], workers bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self bigint;
  forgotten claim[];
  until timestamptz := clock_timestamp() + make_interval(secs => least(greatest(lease, 0.2), 600));
BEGIN
  UPDATE worker SET seen = clock_timestamp(), deadline = until, is_draining = draining
  WHERE session = of_session RETURNING id INTO self;
  IF self IS NULL AND is_new THEN
    INSERT INTO worker (session, name, version, tags, jobs, is_draining, only_batch, deadline)
    VALUES (
      of_session, left(new_name, 200), left(new_version, 50), new_tags, new_jobs, draining,
      of_batch, until)
    -- The same call over an earlier connection may still be under way.
    ON CONFLICT (session) DO UPDATE SET seen = excluded.seen, deadline = until
    RETURNING id INTO self;
  END IF;
  is_known := self IS NOT NULL;
  IF is_known AND held IS NOT NULL THEN
    WITH removed AS (
      DELETE FROM claim c WHERE c.worker = self AND NOT c.token = ANY (held) RETURNING c)
    SELECT array_agg(r.c) INTO forgotten FROM removed r;
  END IF;
  IF is_known AND is_new THEN
    -- What an earlier lease of the same session executed for all has ended with it.
    DELETE FROM need WHERE need.worker = self;
    IF FOUND THEN PERFORM pg_notify('raclette_work', 'need'); END IF;
  END IF;
  PERFORM reap(forgotten);
  IF EXISTS (SELECT FROM later WHERE due <= clock_timestamp()) THEN
    WITH due AS (
      DELETE FROM later WHERE later.entry = ANY (ARRAY(
        SELECT l.entry FROM later l WHERE l.due <= clock_timestamp()
        ORDER BY l.due LIMIT 1000 FOR UPDATE SKIP LOCKED))
      RETURNING lane, entry, batch, attempt, losses, waits_since)
    INSERT INTO queue (lane, entry, batch, attempt, losses, waits_since)
    SELECT lane, entry, batch, attempt, losses, waits_since FROM due;
  END IF;
  PERFORM conclude_refused();
  PERFORM seal_abandoned();
  PERFORM sweep_cancelled();
  PERFORM settle();
  IF is_known THEN
    cancelled := ARRAY(SELECT token FROM claim WHERE claim.worker = self AND is_cancelled);
  END IF;
  workers := (SELECT count(*) FROM worker);
  RETURN NEXT;
END $$;

CREATE FUNCTION raclette.cancel_batch(of_batch bigint) RETURNS TABLE(waiting bigint, running bigint)
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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

CREATE FUNCTION raclette.cancel_entries(of_batch bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  PERFORM conclude(
    take_waiting(of_batch), 'cancelled', 'cancelled', 'the execution was cancelled');
  UPDATE claim SET is_cancelled = true WHERE token = ANY (ARRAY(
    SELECT c.token FROM claim c WHERE c.batch = of_batch AND NOT c.is_cancelled
    FOR UPDATE SKIP LOCKED));
  IF FOUND THEN PERFORM pg_notify('raclette_work', 'cancel'); END IF;
END $$;

CREATE FUNCTION raclette.cancel_entry(of_entry bigint) RETURNS TABLE(waiting bigint, running bigint)
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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
    delayed AS (DELETE FROM later WHERE entry = of_entry RETURNING entry)
    SELECT count(*) INTO waiting FROM (TABLE queued UNION ALL TABLE delayed) AS found;
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

CREATE FUNCTION raclette.claim(of_session uuid, want integer) RETURNS TABLE(token bigint, entry bigint, batch bigint, attempt integer, kind text, command text, input text, name text, plan text, line bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self bigint;
BEGIN
  SELECT id INTO self FROM worker WHERE session = of_session FOR SHARE;
  IF self IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM claim_entries(self, want);
END $$;

CREATE FUNCTION raclette.claim_entries(self bigint, want integer) RETURNS TABLE(token bigint, entry bigint, batch bigint, attempt integer, kind text, command text, input text, name text, plan text, line bigint)
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  lanes bigint[];
  one bigint;
  share integer;
  most integer;
  got integer;
  free record;
  remaining integer := least(want, 10000);
BEGIN
  lanes := ARRAY(
    SELECT l.id FROM worker w, lane l JOIN raclette.batch b ON b.id = l.batch
    WHERE w.id = self AND b.ended IS NULL AND b.cancelled IS NULL AND l.tags <@ w.tags
      AND (w.only_batch IS NULL OR w.only_batch = l.batch)
      AND NOT EXISTS (SELECT FROM refusal r WHERE r.batch = l.batch AND r.worker = self)
      AND EXISTS (SELECT FROM queue q WHERE q.lane = l.id)
    ORDER BY random());
  IF cardinality(lanes) = 0 THEN RETURN; END IF;
  share := greatest(1, remaining / cardinality(lanes));
  FOR pass IN 1..2 LOOP
    FOREACH one IN ARRAY lanes LOOP
      EXIT WHEN remaining <= 0;
      free := free_slots(one);
      CONTINUE WHEN free.slots = 0;
      most := least(share, remaining, free.slots);
      RETURN QUERY
        WITH taken AS (
          DELETE FROM queue WHERE ctid = ANY (ARRAY(
            SELECT q.ctid FROM queue q
            WHERE q.lane = one AND (NOT free.joins OR NOT is_running(q.entry))
            ORDER BY q.entry LIMIT most FOR UPDATE SKIP LOCKED))
          RETURNING lane, entry, batch, attempt, losses, waits_since),
        claimed AS (
          INSERT INTO claim (token, worker, lane, entry, batch, attempt, losses, waits_since)
          SELECT nextval('token'), self, t.lane, t.entry, t.batch, t.attempt + 1, t.losses,
            t.waits_since
          FROM taken t ORDER BY t.entry
          RETURNING token, entry, batch, attempt)
        SELECT c.token, c.entry, c.batch, c.attempt, e.kind, e.command, e.input, e.name, e.plan,
          e.line
        FROM claimed c JOIN raclette.entry e ON e.id = c.entry ORDER BY c.entry;
      GET DIAGNOSTICS got = ROW_COUNT;
      remaining := remaining - got;
    END LOOP;
    share := remaining;
  END LOOP;
END $$;

CREATE FUNCTION raclette.conclude(of_entries bigint[], new_state text, new_kind text, new_error text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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

CREATE FUNCTION raclette.conclude_refused() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT b.id, (
      SELECT reason FROM refusal r WHERE r.batch = b.id ORDER BY r.at DESC LIMIT 1) AS reason
    FROM batch b
    WHERE b.ended IS NULL AND b.id IN (SELECT batch FROM refusal)
      AND (SELECT max(r.at) FROM refusal r WHERE r.batch = b.id)
        < clock_timestamp() - make_interval(secs => b.enabled_timeout)
      AND NOT EXISTS (
        SELECT FROM worker w
        WHERE (w.only_batch IS NULL OR w.only_batch = b.id)
          AND NOT EXISTS (SELECT FROM refusal r WHERE r.worker = w.id AND r.batch = b.id))
    ORDER BY b.id FOR NO KEY UPDATE SKIP LOCKED
  LOOP
    PERFORM conclude(take_waiting(one.id), 'failed', 'lua', one.reason);
  END LOOP;
END $$;

CREATE FUNCTION raclette.end_need(of_session uuid, of_batch bigint, of_key text, new_state text, new_kind text, new_error text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self bigint;
  stored text := need_key(of_batch, of_key);
BEGIN
  SELECT id INTO self FROM worker WHERE session = of_session FOR SHARE;
  IF new_state IN ('completed', 'failed') THEN
    UPDATE need SET worker = NULL, state = new_state, error_kind = new_kind, error = new_error
    WHERE batch = of_batch AND key = stored AND need.worker = self;
  ELSE
    DELETE FROM need
    WHERE batch = of_batch AND (of_key IS NULL OR key = stored) AND need.worker = self;
  END IF;
  IF FOUND THEN PERFORM pg_notify('raclette_work', 'need'); END IF;
END $$;

CREATE FUNCTION raclette.entry_event(of_entry bigint, type text, extra jsonb) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  SELECT (jsonb_strip_nulls(jsonb_build_object(
    'ts', round(extract(epoch FROM clock_timestamp())::numeric, 6), 'type', type,
    'command', nullif(e.command, ''),
    'entry', jsonb_build_object(
      'plan', e.plan, 'line', e.line, 'id', e.name, 'recorded', e.id),
    'batch', e.batch)) || extra)::text
  FROM entry e WHERE e.id = of_entry
$$;

CREATE FUNCTION raclette.fail_fast(of_batch bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  UPDATE batch SET cancelled = clock_timestamp()
  WHERE id = of_batch AND fail_fast AND cancelled IS NULL;
  IF FOUND THEN PERFORM cancel_entries(of_batch); END IF;
END $$;

CREATE FUNCTION raclette.files_of(of_session uuid, of_bundle text) RETURNS TABLE(path text, blob text, size bigint, mode integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  SELECT path, blob, size, mode FROM bundle_file
  WHERE bundle = of_bundle AND EXISTS (SELECT FROM worker WHERE session = of_session)
  ORDER BY path
$$;

CREATE FUNCTION raclette.finish(of_session uuid, done_tokens bigint[], done_states text[], done_durations double precision[], done_attempts integer[], done_codes integer[], done_kinds text[], done_errors text[], done_outputs bytea[], done_events text[], begun_tokens bigint[], out_tokens bigint[], out_batches bigint[], out_events text[], tells bigint[], want integer) RETURNS TABLE(token bigint, entry bigint, batch bigint, attempt integer, kind text, command text, input text, name text, plan text, line bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  self raclette.worker;
  done record;
  joined bigint[];
  claimed integer;
BEGIN
  SELECT * INTO self FROM worker WHERE session = of_session FOR SHARE;
  IF self.id IS NULL THEN
    RETURN QUERY SELECT -d, 0::bigint, 0::bigint, 0, '', '', '', '', '', 0::bigint
      FROM unnest(done_tokens) AS d
      WHERE NOT EXISTS (SELECT FROM ended e WHERE e.token = d AND e.token > 0);
    RETURN;
  END IF;

  IF cardinality(begun_tokens) > 0 THEN
    UPDATE claim c SET begun = clock_timestamp()
    WHERE c.token = ANY (begun_tokens) AND c.worker = self.id AND c.begun IS NULL;
  END IF;

  IF cardinality(out_tokens) > 0 THEN
    INSERT INTO output (batch, worker, events)
    SELECT o.batch, self.id, string_agg(o.events, E'\n' ORDER BY o.place)
    FROM unnest(out_tokens, out_batches, out_events) WITH ORDINALITY
      AS o(token, batch, events, place)
    WHERE o.token = 0 AND EXISTS (SELECT FROM batch b WHERE b.id = o.batch)
      OR EXISTS (
        SELECT FROM claim c
        WHERE c.token = o.token AND c.worker = self.id AND c.batch = o.batch)
    GROUP BY o.batch;
  END IF;

  IF cardinality(done_tokens) > 0 THEN
    WITH done AS (
      SELECT * FROM unnest(
        done_tokens, done_states, done_durations, done_attempts, done_codes, done_kinds,
        done_errors, done_outputs, done_events) WITH ORDINALITY
        AS d(token, state, duration, attempts, code, error_kind, error, output, events, place)),
    held AS (
      DELETE FROM claim c USING done d
      WHERE c.token = d.token AND c.worker = self.id
      RETURNING c, c.lane, c.entry, c.batch, c.attempt, c.losses, c.waits_since, c.begun,
        c.is_cancelled, d.*),
    known AS (
      SELECT h.c, h.token, h.lane, h.entry, h.batch, h.attempt, h.duration, h.attempts, h.code,
        h.output, h.place, h.state,
        CASE WHEN is_stopped THEN 'cancelled' ELSE h.error_kind END AS error_kind,
        CASE WHEN is_stopped THEN 'the execution was cancelled' ELSE h.error END AS error,
        CASE WHEN is_stopped THEN '' ELSE h.events END AS events,
        -- The state to record; null if it goes back.
        CASE
          WHEN h.state IN ('completed', 'failed', 'cancelled') THEN h.state
          WHEN is_stopped THEN 'cancelled'
          WHEN h.state IN ('returned', 'interrupted') THEN NULL
          WHEN h.state = 'crashed' THEN
            CASE WHEN h.losses + loss(h.state, h.begun) >= 6 THEN 'failed' END
          WHEN clock_timestamp() >= coalesce(h.waits_since, clock_timestamp())
            + make_interval(secs => b.enabled_timeout) THEN 'failed' END AS recorded
      FROM held h JOIN raclette.batch b ON b.id = h.batch
        CROSS JOIN LATERAL (
          SELECT (h.is_cancelled OR b.cancelled IS NOT NULL)
            AND h.state NOT IN ('completed', 'failed', 'cancelled') AS is_stopped) AS s),
    recorded AS (
      INSERT INTO ended (
        entry, batch, token, worker, worker_name, attempt, state, started, duration, attempts,
        code, error_kind, error, output)
      SELECT k.entry, k.batch, k.token, self.id, self.name, k.attempt, k.recorded,
        clock_timestamp() - make_interval(secs => k.duration), k.duration, k.attempts, k.code,
        k.error_kind, k.error, k.output
      FROM known k WHERE k.recorded IS NOT NULL
      ON CONFLICT DO NOTHING
      RETURNING entry),
    shown AS (
      INSERT INTO output (batch, worker, events)
      SELECT k.batch, self.id, string_agg(
        CASE WHEN k.events <> '' THEN k.events ELSE entry_event(
          k.entry, CASE WHEN k.recorded = 'failed' THEN 'error' ELSE k.recorded END,
          jsonb_strip_nulls(jsonb_build_object(
            'worker', self.name, 'attempt', k.attempt, 'error',
            CASE WHEN k.recorded = 'failed' THEN
              jsonb_build_object('kind', k.error_kind, 'message', k.error) END))) END,
        E'\n' ORDER BY k.place)
      FROM known k WHERE k.entry = ANY (ARRAY(SELECT entry FROM recorded))
      GROUP BY k.batch)
    SELECT count(k.recorded) < cardinality(done_tokens) AS are_others,
      count(k.recorded) > (SELECT count(*) FROM recorded) AS are_late,
      array_agg(DISTINCT k.batch) FILTER (WHERE k.recorded = 'failed') AS failing,
      array_agg(DISTINCT k.lane) AS lanes,
      array_agg(k.c) FILTER (WHERE k.recorded IS NULL) AS gone,
      array_agg(k.state) FILTER (WHERE k.recorded IS NULL) AS reasons
    INTO done FROM known k;
    IF done.are_others OR done.are_late THEN
      RETURN QUERY SELECT -d, 0::bigint, 0::bigint, 0, '', '', '', '', '', 0::bigint
        FROM unnest(done_tokens) AS d
        WHERE NOT EXISTS (SELECT FROM ended e WHERE e.token = d AND e.token > 0)
          AND NOT EXISTS (SELECT FROM unnest(done.gone) AS g WHERE g.token = d);
    END IF;
    IF done.gone IS NOT NULL THEN PERFORM requeue(done.gone, done.reasons); END IF;
    joined := open_gates(done.lanes, done_tokens);
    IF done.failing IS NOT NULL OR joined <> '{}' THEN
      PERFORM tell_ends(joined, done.failing);
    END IF;
  END IF;

  IF cardinality(tells) > 0 THEN
    PERFORM pg_notify('raclette_batch_' || t, '') FROM unnest(tells) AS t;
  END IF;
  claimed := 0;
  IF want > 0 THEN
    RETURN QUERY SELECT * FROM claim_entries(self.id, want);
    GET DIAGNOSTICS claimed = ROW_COUNT;
  END IF;
  IF claimed = 0 AND cardinality(done_tokens) > 0 THEN PERFORM settle(); END IF;
END $$;

CREATE FUNCTION raclette.follow(of_batch bigint, known_workers bigint[], known_places bigint[]) RETURNS TABLE(worker bigint, place bigint, events text)
    LANGUAGE sql STABLE
    SET search_path TO 'raclette', 'pg_temp'
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
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

CREATE FUNCTION raclette.free_slots(of_lane bigint, OUT slots integer, OUT joins boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self lane;
BEGIN
  SELECT * INTO self FROM lane WHERE id = of_lane;
  joins := self.gate_policy = 'join';
  IF self.gate = '' THEN RETURN; END IF;
  slots := 0;
  PERFORM FROM gate WHERE name = self.gate FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  IF self.gate_policy = 'restart' AND NOT replace_earlier(self.gate) THEN RETURN; END IF;
  slots := greatest(0, self.gate_limit - (
    SELECT count(*) FROM claim c JOIN lane l ON l.id = c.lane WHERE l.gate = self.gate));
  -- Two entries of one claim may be equal.
  IF joins THEN slots := least(slots, 1); END IF;
END $$;

CREATE TABLE raclette.claim (
    token bigint NOT NULL,
    worker bigint NOT NULL,
    lane bigint NOT NULL,
    entry bigint NOT NULL,
    batch bigint NOT NULL,
    attempt integer NOT NULL,
    losses integer NOT NULL,
    waits_since timestamp with time zone,
    claimed timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    begun timestamp with time zone,
    is_cancelled boolean DEFAULT false NOT NULL
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02');

CREATE FUNCTION raclette.give_back(gone raclette.claim[], reasons text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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

CREATE FUNCTION raclette.is_running(of_entry bigint) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  SELECT EXISTS (
    SELECT FROM entry e JOIN lane l ON l.gate = e.command JOIN claim c ON c.lane = l.id
      JOIN entry other ON other.id = c.entry
    WHERE e.id = of_entry AND other.input = e.input)
$$;

CREATE FUNCTION raclette.keep_submission(of_batch bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  UPDATE batch SET submitter_seen = clock_timestamp() WHERE id = of_batch AND size IS NULL
$$;

CREATE FUNCTION raclette.leave(of_session uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self bigint;
  gone claim[];
BEGIN
  SELECT id INTO self FROM worker WHERE session = of_session FOR UPDATE;
  IF self IS NULL THEN RETURN; END IF;
  WITH removed AS (DELETE FROM claim c WHERE c.worker = self RETURNING c)
  SELECT array_agg(r.c) INTO gone FROM removed r;
  IF gone IS NOT NULL THEN
    PERFORM give_back(gone, array_fill('forgotten'::text, ARRAY[cardinality(gone)]));
    PERFORM pg_notify('raclette_work', '');
  END IF;
  DELETE FROM worker WHERE id = self;
  PERFORM settle();
END $$;

CREATE FUNCTION raclette.listing_lock() RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$SELECT 7267::bigint$$;

CREATE FUNCTION raclette.loss(reason text, begun timestamp with time zone) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE
    WHEN reason = 'crashed' OR reason = 'lost' AND begun IS NOT NULL THEN 2
    WHEN reason = 'lost' THEN 1
    ELSE 0 END
$$;

CREATE FUNCTION raclette.need_key(of_batch bigint, of_key text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  SELECT encode(sha256(convert_to(submission::text || of_key, 'UTF8')), 'hex')
  FROM batch WHERE id = of_batch
$$;

CREATE FUNCTION raclette.open_gates(lanes bigint[], done_tokens bigint[]) RETURNS bigint[]
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  one record;
  joined bigint[];
  all_joined bigint[] := '{}';
BEGIN
  IF NOT EXISTS (SELECT FROM lane WHERE id = ANY (lanes) AND gate <> '') THEN
    RETURN all_joined;
  END IF;
  FOR one IN
    SELECT d.entry, e.command, e.input, b.bundle
    FROM ended d JOIN entry e ON e.id = d.entry JOIN batch b ON b.id = d.batch
    WHERE d.token = ANY (done_tokens) AND d.token > 0 AND d.state IN ('completed', 'failed')
      AND EXISTS (SELECT FROM lane l WHERE l.gate = e.command AND l.gate_policy = 'join')
    ORDER BY d.entry
  LOOP
    WITH waiting AS (
      DELETE FROM queue WHERE ctid = ANY (ARRAY(
        SELECT q.ctid FROM queue q JOIN lane l ON l.id = q.lane JOIN entry e ON e.id = q.entry
          JOIN batch b ON b.id = q.batch
        WHERE l.gate = one.command AND l.gate_policy = 'join' AND e.input = one.input
          AND b.bundle = one.bundle
        FOR UPDATE OF q SKIP LOCKED))
      RETURNING queue.entry, queue.batch),
    new AS (
      INSERT INTO ended (
        entry, batch, token, worker, worker_name, attempt, state, started, duration, attempts, code,
        error_kind, error, output)
      SELECT w.entry, w.batch, 0, d.worker, d.worker_name, d.attempt, d.state, d.started,
        d.duration, d.attempts, d.code, d.error_kind, d.error, d.output
      FROM waiting w CROSS JOIN ended d WHERE d.entry = one.entry
      ON CONFLICT DO NOTHING
      RETURNING entry)
    SELECT array_agg(entry) INTO joined FROM new;
    all_joined := all_joined || joined;
  END LOOP;
  PERFORM pg_notify('raclette_work', '');
  RETURN all_joined;
END $$;

CREATE FUNCTION raclette.part_of(of_session uuid, of_blob text, of_part integer) RETURNS TABLE(bytes bytea)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  SELECT bytes FROM blob
  WHERE digest = of_blob AND part = of_part
    AND EXISTS (SELECT FROM worker WHERE session = of_session)
$$;

CREATE FUNCTION raclette.prune_blobs() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  size bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(listing_lock());
  -- This sees what was listed before the lock was free.
  WITH gone AS (
    DELETE FROM blob WHERE NOT EXISTS (SELECT FROM bundle_file f WHERE f.blob = blob.digest)
    RETURNING octet_length(bytes) AS bytes)
  SELECT coalesce(sum(bytes), 0) INTO size FROM gone;
  RETURN size;
END $$;

CREATE FUNCTION raclette.reap(forgotten raclette.claim[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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

CREATE FUNCTION raclette.refuse(of_session uuid, of_batch bigint, new_reason text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self worker;
BEGIN
  SELECT * INTO self FROM worker WHERE session = of_session FOR SHARE;
  IF self.id IS NULL THEN RETURN; END IF;
  INSERT INTO refusal (worker, batch, reason) SELECT self.id, id, left(new_reason, 4000)
  FROM batch WHERE id = of_batch
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM tell(of_batch, (jsonb_build_object(
    'ts', round(extract(epoch FROM clock_timestamp())::numeric, 6), 'type', 'log',
    'level', 'error', 'message', 'worker ' || self.name || ' cannot execute this batch: '
      || left(new_reason, 4000),
    'worker', self.name, 'batch', of_batch))::text);
  PERFORM pg_notify('raclette_work', '');
END $$;

CREATE FUNCTION raclette.replace_earlier(of_gate text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  lanes bigint[] := ARRAY(SELECT id FROM lane WHERE gate = of_gate);
  latest bigint := greatest(
    (SELECT max(q.entry) FROM queue q WHERE q.lane = ANY (lanes)),
    (SELECT max(d.entry) FROM later d WHERE d.lane = ANY (lanes)),
    (SELECT max(c.entry) FROM claim c WHERE c.lane = ANY (lanes)));
  found bigint[];
BEGIN
  UPDATE claim SET is_cancelled = true WHERE token = ANY (ARRAY(
    SELECT c.token FROM claim c
    WHERE c.lane = ANY (lanes) AND c.entry < latest AND NOT c.is_cancelled
    FOR UPDATE SKIP LOCKED));
  IF FOUND THEN PERFORM pg_notify('raclette_work', 'cancel'); END IF;
  found := ARRAY(
    SELECT entry FROM queue WHERE lane = ANY (lanes) AND entry < latest
    UNION ALL SELECT entry FROM later WHERE lane = ANY (lanes) AND entry < latest);
  IF cardinality(found) = 0 THEN RETURN true; END IF;
  -- The claims of this step may be of any batch, so that it may not wait for a lock of one.
  IF (SELECT count(DISTINCT batch) FROM entry WHERE id = ANY (found)) > (
    SELECT count(*) FROM (
      SELECT FROM batch WHERE id IN (SELECT batch FROM entry WHERE entry.id = ANY (found))
      FOR NO KEY UPDATE SKIP LOCKED) AS locked)
  THEN
    RETURN false;
  END IF;
  WITH queued AS (
    DELETE FROM queue WHERE ctid = ANY (ARRAY(
      SELECT q.ctid FROM queue q WHERE q.lane = ANY (lanes) AND q.entry = ANY (found)
      FOR UPDATE SKIP LOCKED))
    RETURNING queue.entry),
  delayed AS (
    DELETE FROM later WHERE ctid = ANY (ARRAY(
      SELECT d.ctid FROM later d WHERE d.entry = ANY (found) FOR UPDATE SKIP LOCKED))
    RETURNING later.entry)
  SELECT array_agg(entry) INTO found FROM (TABLE queued UNION ALL TABLE delayed) AS replaced;
  PERFORM conclude(found, 'cancelled', 'cancelled',
    'replaced by a later entry, as the command''s when_busy is "restart"');
  RETURN true;
END $$;

CREATE FUNCTION raclette.requeue(gone raclette.claim[], reasons text[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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

CREATE FUNCTION raclette.seal_abandoned() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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

CREATE FUNCTION raclette.seal_batch(of_batch bigint, new_size bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  UPDATE batch SET size = new_size WHERE id = of_batch AND size IS NULL;
  PERFORM settle();
END $$;

CREATE FUNCTION raclette.server_started() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$SELECT pg_postmaster_start_time()$$;

CREATE FUNCTION raclette.settle() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
  LOOP
    UPDATE batch SET ended = clock_timestamp() WHERE id = one.id;
    -- Their keys tell something about inputs.
    DELETE FROM need WHERE need.batch = one.id;
    PERFORM pg_notify('raclette_batch_' || one.id, 'ended');
  END LOOP;
END $$;

CREATE FUNCTION raclette.submit_batch(new_submission uuid, new_plan text, new_folder text, new_submitter text, new_bundle text, new_options text, fails_fast boolean, new_enabled_timeout double precision) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  INSERT INTO batch (
    submission, plan, folder, submitter, bundle, options, fail_fast, enabled_timeout,
    submitter_seen)
  VALUES (
    new_submission, new_plan, new_folder, new_submitter, new_bundle, new_options, fails_fast,
    new_enabled_timeout, clock_timestamp())
  ON CONFLICT (submission) DO UPDATE SET plan = excluded.plan
  RETURNING id
$$;

CREATE FUNCTION raclette.submit_entries(of_batch bigint, first_place bigint, new_kinds text[], new_commands text[], new_inputs text[], new_names text[], new_plans text[], new_lines bigint[], new_keys bytea[], new_tags text[], new_problems text[], new_gates text[], new_limits integer[], new_policies text[]) RETURNS TABLE(entry bigint)
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self batch;
  -- What this call has added: it may be the second one with these entries.
  new_entries bigint[];
  sound bigint[];
  failing record;
BEGIN
  UPDATE batch SET submitter_seen = clock_timestamp() WHERE id = of_batch RETURNING * INTO self;
  IF self.size IS NULL THEN
    INSERT INTO gate SELECT DISTINCT g FROM unnest(new_gates) AS g WHERE g <> '' ORDER BY g
    ON CONFLICT DO NOTHING;
    INSERT INTO lane (batch, tags, gate, gate_limit, gate_policy)
    SELECT DISTINCT of_batch, string_to_array(g.tags, ','), g.gate, g.size, g.policy
    FROM unnest(new_tags, new_gates, new_limits, new_policies) AS g(tags, gate, size, policy)
    ON CONFLICT DO NOTHING;
    WITH given AS (
      SELECT * FROM unnest(
        new_kinds, new_commands, new_inputs, new_names, new_plans, new_lines, new_keys, new_tags,
        new_problems, new_gates) WITH ORDINALITY
        AS g(kind, command, input, name, plan, line, key, tags, problem, gate, place)),
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
          AND l.gate = g.gate
      WHERE g.problem IS NULL AND self.cancelled IS NULL)
    SELECT array_agg(n.id), array_agg(n.id) FILTER (WHERE g.problem IS NULL)
    INTO new_entries, sound
    FROM new n JOIN given g ON g.place = n.place - first_place + 1;
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
    SELECT id FROM entry
    WHERE batch = of_batch
      AND place BETWEEN first_place AND first_place + cardinality(new_kinds) - 1
    ORDER BY place;
END $$;

CREATE FUNCTION raclette.sweep_cancelled() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  PERFORM cancel_entries(id)
  FROM (
    SELECT id FROM batch WHERE ended IS NULL AND cancelled IS NOT NULL
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) AS cancelled;
END $$;

CREATE FUNCTION raclette.take_need(of_session uuid, of_batch bigint, of_key text, OUT state text, OUT error_kind text, OUT error text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  self bigint;
  found need;
  stored text := need_key(of_batch, of_key);
BEGIN
  SELECT id INTO self FROM worker WHERE session = of_session FOR SHARE;
  IF self IS NULL THEN RETURN; END IF;
  INSERT INTO need (batch, key, worker, state)
  SELECT id, stored, self, 'running' FROM batch WHERE id = of_batch
  ON CONFLICT DO NOTHING;
  SELECT * INTO found FROM need WHERE batch = of_batch AND key = stored;
  state := CASE WHEN found.worker = self THEN 'execute' ELSE coalesce(found.state, 'running') END;
  error_kind := found.error_kind;
  error := found.error;
END $$;

CREATE FUNCTION raclette.take_waiting(of_batch bigint) RETURNS bigint[]
    LANGUAGE sql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  WITH queued AS (
    DELETE FROM queue WHERE ctid = ANY (ARRAY(
      SELECT q.ctid FROM lane l JOIN queue q ON q.lane = l.id WHERE l.batch = of_batch
      FOR UPDATE OF q SKIP LOCKED))
    RETURNING queue.entry),
  delayed AS (
    DELETE FROM later WHERE ctid = ANY (ARRAY(
      SELECT l.ctid FROM later l WHERE l.batch = of_batch FOR UPDATE SKIP LOCKED))
    RETURNING later.entry)
  SELECT coalesce(array_agg(entry), '{}') FROM (TABLE queued UNION ALL TABLE delayed) AS entries
$$;

CREATE FUNCTION raclette.tell(of_batch bigint, new_events text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  PERFORM FROM batch WHERE id = of_batch FOR NO KEY UPDATE;
  INSERT INTO output (batch, worker, events) VALUES (of_batch, 0, new_events);
  PERFORM pg_notify('raclette_batch_' || of_batch, '');
END $$;

CREATE FUNCTION raclette.tell_ends(of_entries bigint[], failing bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
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
          jsonb_strip_nulls(jsonb_build_object('worker', nullif(d.worker_name, ''), 'error',
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

CREATE FUNCTION raclette.version() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'raclette', 'pg_temp'
    AS $$
  SELECT number FROM schema_version
$$;

CREATE SEQUENCE raclette.number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE raclette.batch (
    id bigint DEFAULT nextval('raclette.number'::regclass) NOT NULL,
    submission uuid NOT NULL,
    plan text NOT NULL,
    folder text NOT NULL,
    submitter text NOT NULL,
    bundle text NOT NULL,
    options text NOT NULL,
    fail_fast boolean NOT NULL,
    enabled_timeout double precision NOT NULL,
    submitted timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    size bigint,
    cancelled timestamp with time zone,
    ended timestamp with time zone,
    submitter_seen timestamp with time zone
);

CREATE TABLE raclette.blob (
    digest text NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL
);

CREATE TABLE raclette.bundle (
    digest text NOT NULL,
    command_file text NOT NULL,
    created timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE raclette.bundle_file (
    bundle text NOT NULL,
    path text NOT NULL,
    blob text NOT NULL,
    size bigint NOT NULL,
    mode integer NOT NULL
);

CREATE TABLE raclette.ended (
    entry bigint NOT NULL,
    batch bigint NOT NULL,
    token bigint NOT NULL,
    worker bigint NOT NULL,
    worker_name text NOT NULL,
    attempt integer NOT NULL,
    state text NOT NULL,
    started timestamp with time zone,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    duration double precision NOT NULL,
    attempts integer NOT NULL,
    code integer,
    error_kind text,
    error text,
    output bytea
);

CREATE TABLE raclette.entry (
    id bigint DEFAULT nextval('raclette.number'::regclass) NOT NULL,
    batch bigint NOT NULL,
    place bigint NOT NULL,
    kind text NOT NULL,
    command text NOT NULL,
    input text NOT NULL,
    name text,
    plan text NOT NULL,
    line bigint NOT NULL,
    key bytea NOT NULL
);

CREATE TABLE raclette.gate (
    name text NOT NULL
);

CREATE TABLE raclette.lane (
    id bigint NOT NULL,
    batch bigint NOT NULL,
    tags text[] NOT NULL,
    gate text DEFAULT ''::text NOT NULL,
    gate_limit integer DEFAULT 0 NOT NULL,
    gate_policy text DEFAULT ''::text NOT NULL
);

ALTER TABLE raclette.lane ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME raclette.lane_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE raclette.later (
    entry bigint NOT NULL,
    due timestamp with time zone NOT NULL,
    lane bigint NOT NULL,
    batch bigint NOT NULL,
    attempt integer NOT NULL,
    losses integer NOT NULL,
    waits_since timestamp with time zone
);

CREATE TABLE raclette.need (
    batch bigint NOT NULL,
    key text NOT NULL,
    worker bigint,
    state text NOT NULL,
    error_kind text,
    error text
);

CREATE SEQUENCE raclette.output_order
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE raclette.output (
    batch bigint NOT NULL,
    worker bigint NOT NULL,
    place bigint DEFAULT nextval('raclette.output_order'::regclass) NOT NULL,
    events text NOT NULL
);

CREATE TABLE raclette.queue (
    lane bigint NOT NULL,
    entry bigint NOT NULL,
    batch bigint NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    losses integer DEFAULT 0 NOT NULL,
    waits_since timestamp with time zone
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.02');

CREATE TABLE raclette.refusal (
    worker bigint NOT NULL,
    batch bigint NOT NULL,
    reason text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE raclette.schema_version (
    number integer NOT NULL
);

CREATE SEQUENCE raclette.token
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE raclette.worker_number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE raclette.worker (
    id bigint DEFAULT nextval('raclette.worker_number'::regclass) NOT NULL,
    session uuid NOT NULL,
    name text NOT NULL,
    version text NOT NULL,
    tags text[] NOT NULL,
    jobs integer NOT NULL,
    is_draining boolean DEFAULT false NOT NULL,
    only_batch bigint,
    joined timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seen timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    deadline timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY raclette.batch
    ADD CONSTRAINT batch_pkey PRIMARY KEY (id);

ALTER TABLE ONLY raclette.batch
    ADD CONSTRAINT batch_submission_key UNIQUE (submission);

ALTER TABLE ONLY raclette.blob
    ADD CONSTRAINT blob_pkey PRIMARY KEY (digest, part);

ALTER TABLE ONLY raclette.bundle_file
    ADD CONSTRAINT bundle_file_pkey PRIMARY KEY (bundle, path);

ALTER TABLE ONLY raclette.bundle
    ADD CONSTRAINT bundle_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY raclette.claim
    ADD CONSTRAINT claim_entry_key UNIQUE (entry);

ALTER TABLE ONLY raclette.claim
    ADD CONSTRAINT claim_pkey PRIMARY KEY (token);

ALTER TABLE ONLY raclette.ended
    ADD CONSTRAINT ended_pkey PRIMARY KEY (entry);

ALTER TABLE ONLY raclette.entry
    ADD CONSTRAINT entry_batch_place_key UNIQUE (batch, place);

ALTER TABLE ONLY raclette.entry
    ADD CONSTRAINT entry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY raclette.gate
    ADD CONSTRAINT gate_pkey PRIMARY KEY (name);

ALTER TABLE ONLY raclette.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (id);

ALTER TABLE ONLY raclette.later
    ADD CONSTRAINT later_pkey PRIMARY KEY (entry);

ALTER TABLE ONLY raclette.need
    ADD CONSTRAINT need_pkey PRIMARY KEY (batch, key);

ALTER TABLE ONLY raclette.output
    ADD CONSTRAINT output_pkey PRIMARY KEY (batch, worker, place);

ALTER TABLE ONLY raclette.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (lane, entry);

ALTER TABLE ONLY raclette.refusal
    ADD CONSTRAINT refusal_pkey PRIMARY KEY (batch, worker);

ALTER TABLE ONLY raclette.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (id);

ALTER TABLE ONLY raclette.worker
    ADD CONSTRAINT worker_session_key UNIQUE (session);

CREATE INDEX batch_id_idx ON raclette.batch USING btree (id) WHERE (ended IS NULL);

CREATE INDEX claim_batch_idx ON raclette.claim USING btree (batch);

CREATE INDEX claim_worker_idx ON raclette.claim USING btree (worker);

CREATE INDEX ended_batch_idx ON raclette.ended USING btree (batch);

CREATE INDEX ended_token_idx ON raclette.ended USING btree (token) WHERE (token > 0);

CREATE INDEX entry_key_idx ON raclette.entry USING btree (key);

CREATE UNIQUE INDEX lane_batch_tags_gate_key ON raclette.lane USING btree (batch, tags, gate);

CREATE INDEX lane_gate_idx ON raclette.lane USING btree (gate) WHERE (gate <> ''::text);

CREATE INDEX later_batch_idx ON raclette.later USING btree (batch);

CREATE INDEX later_due_idx ON raclette.later USING btree (due);

CREATE INDEX need_worker ON raclette.need USING btree (worker) WHERE (worker IS NOT NULL);

CREATE INDEX refusal_worker_idx ON raclette.refusal USING btree (worker);

ALTER TABLE ONLY raclette.batch
    ADD CONSTRAINT batch_bundle_fkey FOREIGN KEY (bundle) REFERENCES raclette.bundle(digest);

ALTER TABLE ONLY raclette.bundle_file
    ADD CONSTRAINT bundle_file_bundle_fkey FOREIGN KEY (bundle) REFERENCES raclette.bundle(digest) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.ended
    ADD CONSTRAINT ended_batch_fkey FOREIGN KEY (batch) REFERENCES raclette.batch(id) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.entry
    ADD CONSTRAINT entry_batch_fkey FOREIGN KEY (batch) REFERENCES raclette.batch(id) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.lane
    ADD CONSTRAINT lane_batch_fkey FOREIGN KEY (batch) REFERENCES raclette.batch(id) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.need
    ADD CONSTRAINT need_batch_fkey FOREIGN KEY (batch) REFERENCES raclette.batch(id) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.need
    ADD CONSTRAINT need_worker_fkey FOREIGN KEY (worker) REFERENCES raclette.worker(id) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.output
    ADD CONSTRAINT output_batch_fkey FOREIGN KEY (batch) REFERENCES raclette.batch(id) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.refusal
    ADD CONSTRAINT refusal_batch_fkey FOREIGN KEY (batch) REFERENCES raclette.batch(id) ON DELETE CASCADE;

ALTER TABLE ONLY raclette.refusal
    ADD CONSTRAINT refusal_worker_fkey FOREIGN KEY (worker) REFERENCES raclette.worker(id) ON DELETE CASCADE;

INSERT INTO raclette.schema_version VALUES (2);
-- A batch that waits, and one that has ended.
INSERT INTO raclette.blob SELECT encode(sha256(bytes), 'hex'), 0, bytes FROM (SELECT convert_to(
  'local rac = require "rac"' || chr(10) || 'rac.command{name = "hi", run = "echo hi"}', 'UTF8')) AS c(bytes);
INSERT INTO raclette.bundle (digest, command_file) VALUES ('one', 'commands.lua');
INSERT INTO raclette.bundle_file SELECT 'one', 'commands.lua', digest, octet_length(bytes), 420
FROM raclette.blob;
SELECT raclette.submit_batch(gen_random_uuid(), 'plan', '/', 'me', 'one', '[]', false, 60)
FROM generate_series(1, 2);
SELECT raclette.submit_entries(
  b, 1, '{command,command}', '{hi,hi}', '{"{}","{}"}', '{NULL,NULL}', '{plan,plan}', '{1,2}',
  '{a,b}', '{"",""}', '{NULL,NULL}', '{"",""}', '{0,0}', '{"",""}')
FROM generate_series(1, 2) AS b;
SELECT raclette.seal_batch(b, 2) FROM generate_series(1, 2) AS b;
SELECT raclette.cancel_batch(2);

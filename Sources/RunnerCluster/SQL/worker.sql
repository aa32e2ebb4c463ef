-- What the role of workers may call. Each call names the worker by its session, which only it knows.
--
-- Locks are taken in this order, so that no two transactions wait for each other:
--
--   1. the row of the worker itself: FOR SHARE to claim and to record, FOR UPDATE to leave
--   2. claims of its own, or of workers whose lease is over
--   3. rows of `batch`, FOR NO KEY UPDATE, by ascending numbers. This lock gives the turn to add events
--      of the server (`tell`), to mark a batch as cancelled, to add entries and to end it. It does not
--      stand in the way of those who record ends, as foreign keys take FOR KEY SHARE.
--   4. everything else with SKIP LOCKED: rows of `queue` and `later`, claims of others, gates, leases
--      that are over, and more rows of `batch`
--
-- A transaction that has come to a step waits for none of an earlier one. Transactions are READ
-- COMMITTED: what somebody moves from one table to another at the same time may be seen in neither.
-- Whoever looks for all entries of a batch leaves such a one to `beat`, which looks again
-- (`sweep_cancelled`, `settle`), and what is to be claimed is looked for each second.

-- The version of the schema.
CREATE OR REPLACE FUNCTION raclette.version() RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
  SELECT number FROM schema_version
$$;

-- Renews the lease, or begins it. Returns what the worker has to cancel; is_known is false if the
-- lease is over, so that all it held is executed elsewhere. `workers` is the number of leases.
--
-- `held` is null, or after a lost connection the tokens that the worker knows of: claims whose answer
-- never arrived go back.
CREATE OR REPLACE FUNCTION raclette.beat(
  of_session uuid, is_new boolean, new_name text, new_version text, new_tags text[],
  new_jobs integer, draining boolean, of_batch bigint, lease double precision, held bigint[],
  new_resources jsonb DEFAULT '{}'
) RETURNS TABLE (is_known boolean, cancelled bigint[], workers bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  self bigint;
  forgotten claim[];
  until timestamptz := clock_timestamp() + make_interval(secs => least(greatest(lease, 0.2), 600));
BEGIN
  UPDATE worker SET seen = clock_timestamp(), deadline = until, is_draining = draining
  WHERE session = of_session RETURNING id INTO self;
  IF self IS NULL AND is_new THEN
    INSERT INTO worker (
      session, name, version, tags, jobs, resources, is_draining, only_batch, deadline)
    VALUES (
      of_session, left(new_name, 200), left(new_version, 50), new_tags, new_jobs, new_resources,
      draining, of_batch, until)
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

-- Ends the lease of a worker that leaves: what it still holds goes back.
CREATE OR REPLACE FUNCTION raclette.leave(of_session uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
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

-- Claims up to `want` entries, from the batches in turn.
CREATE OR REPLACE FUNCTION raclette.claim_entries(self bigint, want integer)
RETURNS TABLE (
  token bigint, entry bigint, batch bigint, attempt integer, kind text, command text, input text,
  name text, plan text, line bigint)
-- Its plans are made once, with the indexes: planning for each limit takes longer than the claim.
LANGUAGE plpgsql SET search_path = raclette, pg_temp SET plan_cache_mode = force_generic_plan
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  lanes bigint[];
  one bigint;
  share integer;
  most integer;
  got integer;
  free record;
  fit record;
  needed jsonb;
  -- The resources for which earlier entries wait.
  awaited text[] := '{}';
  remaining integer := least(want, 10000);
BEGIN
  lanes := ARRAY(
    SELECT l.id FROM worker w, lane l JOIN raclette.batch b ON b.id = l.batch
    WHERE w.id = self AND b.ended IS NULL AND b.cancelled IS NULL AND l.tags <@ w.tags
      AND (w.only_batch IS NULL OR w.only_batch = l.batch)
      AND NOT EXISTS (SELECT FROM refusal r WHERE r.batch = l.batch AND r.worker = self)
      AND EXISTS (SELECT FROM queue q WHERE q.lane = l.id)
    ORDER BY l.uses = '{}',
      CASE WHEN l.uses <> '{}' THEN (SELECT min(q.entry) FROM queue q WHERE q.lane = l.id) END,
      random());
  IF cardinality(lanes) = 0 THEN RETURN; END IF;
  share := greatest(1, remaining / cardinality(lanes));
  FOR pass IN 1..2 LOOP
    FOREACH one IN ARRAY lanes LOOP
      EXIT WHEN remaining <= 0;
      SELECT l.uses INTO needed FROM lane l WHERE l.id = one;
      CONTINUE WHEN needed ?| awaited;
      fit := free_uses(self, one);
      IF fit.room = 0 THEN
        -- Later entries, which want less, do not pass it.
        IF fit.is_awaited THEN
          awaited := awaited || ARRAY(SELECT jsonb_object_keys(needed));
        END IF;
        CONTINUE;
      END IF;
      free := free_slots(one);
      CONTINUE WHEN free.slots = 0;
      most := least(share, remaining, free.slots, fit.room);
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

-- Claims up to `want` entries.
CREATE OR REPLACE FUNCTION raclette.claim(of_session uuid, want integer)
RETURNS TABLE (
  token bigint, entry bigint, batch bigint, attempt integer, kind text, command text, input text,
  name text, plan text, line bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  self bigint;
BEGIN
  SELECT id INTO self FROM worker WHERE session = of_session FOR SHARE;
  IF self IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM claim_entries(self, want);
END $$;

-- Records ends and output, and claims up to `want` entries: one step of a worker.
--
-- A row with a negative token is a refusal: the claim with the opposite token is another worker's, or
-- nobody's, or the entry has ended otherwise. An end that was recorded before with the same token is
-- not refused: the connection may have been lost after the commit.
--
-- done_states are completed, failed, cancelled, and the reasons for which entries go back: `returned`,
-- `interrupted`, `not_enabled` and `crashed`. What is cancelled does not go back. Ends without an event get one. The output of a claim has its token; 0 is output
-- of a batch without an entry. Readers of the batches in tells are woken.
CREATE OR REPLACE FUNCTION raclette.finish(
  of_session uuid,
  done_tokens bigint[], done_states text[], done_durations double precision[],
  done_attempts integer[], done_codes integer[], done_kinds text[], done_errors text[],
  done_outputs bytea[], done_events text[],
  begun_tokens bigint[], out_tokens bigint[], out_batches bigint[], out_events text[],
  tells bigint[], want integer
) RETURNS TABLE (
  token bigint, entry bigint, batch bigint, attempt integer, kind text, command text, input text,
  name text, plan text, line bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off AS $$
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

-- How the entries of a batch are executed.
CREATE OR REPLACE FUNCTION raclette.batch_of(of_session uuid, of_batch bigint)
RETURNS TABLE (bundle text, command_file text, options text)
LANGUAGE sql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
  SELECT b.bundle, u.command_file, b.options
  FROM batch b JOIN bundle u ON u.digest = b.bundle
  WHERE b.id = of_batch AND b.ended IS NULL
    AND EXISTS (SELECT FROM worker WHERE session = of_session)
$$;

-- The files of a bundle.
CREATE OR REPLACE FUNCTION raclette.files_of(of_session uuid, of_bundle text)
RETURNS TABLE (path text, blob text, size bigint, mode integer)
LANGUAGE sql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
  SELECT path, blob, size, mode FROM bundle_file
  WHERE bundle = of_bundle AND EXISTS (SELECT FROM worker WHERE session = of_session)
  ORDER BY path
$$;

-- A part of a file of a bundle; no row behind the last.
CREATE OR REPLACE FUNCTION raclette.part_of(of_session uuid, of_blob text, of_part integer)
RETURNS TABLE (bytes bytea)
LANGUAGE sql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
  SELECT bytes FROM blob
  WHERE digest = of_blob AND part = of_part
    AND EXISTS (SELECT FROM worker WHERE session = of_session)
$$;

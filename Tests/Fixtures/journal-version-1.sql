-- The tables of version 1. Everything that is read is append-only; the tables that change at each
-- step (queue, later, claim, worker) hold only what waits or runs.

CREATE SCHEMA raclette;

CREATE TABLE raclette.schema_version (number integer NOT NULL);
INSERT INTO raclette.schema_version VALUES (1);

-- Numbers of batches and entries: one sequence, so that a number says which it is.
CREATE SEQUENCE raclette.number;
-- Tokens of claims rise: a later claim of an entry has a higher token.
CREATE SEQUENCE raclette.token;
-- The order of the output of one worker.
CREATE SEQUENCE raclette.output_order;
CREATE SEQUENCE raclette.worker_number;

-- Content-addressed files of bundles, in rows of at most 1 MiB. Digests are SHA-256.
CREATE TABLE raclette.blob (
  digest text NOT NULL,
  part integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (digest, part)
);

CREATE TABLE raclette.bundle (
  digest text PRIMARY KEY,
  -- The path of the command file inside the bundle; empty if there is none.
  command_file text NOT NULL,
  created timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE raclette.bundle_file (
  bundle text NOT NULL REFERENCES raclette.bundle ON DELETE CASCADE,
  path text NOT NULL,
  blob text NOT NULL,
  size bigint NOT NULL,
  mode integer NOT NULL,
  PRIMARY KEY (bundle, path)
);

CREATE TABLE raclette.batch (
  id bigint PRIMARY KEY DEFAULT nextval('raclette.number'),
  -- Chosen by the submitter, who may send the same submission twice after a lost connection.
  submission uuid NOT NULL UNIQUE,
  plan text NOT NULL,
  folder text NOT NULL,
  submitter text NOT NULL,
  bundle text NOT NULL REFERENCES raclette.bundle,
  -- A JSON list of the options with which workers execute its entries.
  options text NOT NULL,
  fail_fast boolean NOT NULL,
  -- Seconds that an entry waits for a command that is not enabled.
  enabled_timeout double precision NOT NULL,
  submitted timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The number of entries, once all have been submitted.
  size bigint,
  cancelled timestamptz,
  ended timestamptz
);
CREATE INDEX ON raclette.batch (id) WHERE ended IS NULL;

CREATE TABLE raclette.entry (
  id bigint PRIMARY KEY DEFAULT nextval('raclette.number'),
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  -- Its place in the batch, from 1.
  place bigint NOT NULL,
  kind text NOT NULL,
  command text NOT NULL,
  input text NOT NULL,
  name text,
  plan text NOT NULL,
  line bigint NOT NULL,
  -- The digest of its content, for resumption.
  key bytea NOT NULL,
  UNIQUE (batch, place)
);
CREATE INDEX ON raclette.entry (key);

-- The entries of a batch that need the same tags. Claims are spread over lanes at random.
CREATE TABLE raclette.lane (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  tags text[] NOT NULL,
  UNIQUE (batch, tags)
);

-- Entries that may be claimed.
CREATE TABLE raclette.queue (
  lane bigint NOT NULL,
  entry bigint NOT NULL,
  batch bigint NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  losses integer NOT NULL DEFAULT 0,
  -- When a worker first found its command not enabled.
  waits_since timestamptz,
  PRIMARY KEY (lane, entry)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

-- Entries that become claimable at a time.
CREATE TABLE raclette.later (
  entry bigint PRIMARY KEY,
  due timestamptz NOT NULL,
  lane bigint NOT NULL,
  batch bigint NOT NULL,
  attempt integer NOT NULL,
  losses integer NOT NULL,
  waits_since timestamptz NOT NULL
);
CREATE INDEX ON raclette.later (due);
CREATE INDEX ON raclette.later (batch);

-- A worker's lease and what it is; a worker without a lease has no row.
CREATE TABLE raclette.worker (
  id bigint PRIMARY KEY DEFAULT nextval('raclette.worker_number'),
  -- Known to the worker alone.
  session uuid NOT NULL UNIQUE,
  name text NOT NULL,
  version text NOT NULL,
  tags text[] NOT NULL,
  jobs integer NOT NULL,
  is_draining boolean NOT NULL DEFAULT false,
  -- The only batch of which it executes entries, if there is one.
  only_batch bigint,
  joined timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen timestamptz NOT NULL DEFAULT clock_timestamp(),
  deadline timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What workers hold.
CREATE TABLE raclette.claim (
  token bigint PRIMARY KEY,
  worker bigint NOT NULL,
  lane bigint NOT NULL,
  entry bigint NOT NULL UNIQUE,
  batch bigint NOT NULL,
  attempt integer NOT NULL,
  losses integer NOT NULL,
  waits_since timestamptz,
  claimed timestamptz NOT NULL DEFAULT clock_timestamp(),
  begun timestamptz,
  is_cancelled boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ON raclette.claim (worker);
CREATE INDEX ON raclette.claim (batch);

-- The one recorded end of each entry.
CREATE TABLE raclette.ended (
  entry bigint PRIMARY KEY,
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  token bigint NOT NULL,
  worker bigint NOT NULL,
  worker_name text NOT NULL,
  attempt integer NOT NULL,
  -- completed, failed, cancelled or skipped.
  state text NOT NULL,
  -- By the server's clock.
  started timestamptz,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  duration double precision NOT NULL,
  -- The attempts of the last worker; 0 if the command was up to date.
  attempts integer NOT NULL,
  code integer,
  error_kind text,
  error text,
  -- The last lines of its output, as the local journal keeps them.
  output bytea
);
CREATE INDEX ON raclette.ended (batch);

-- Events in the schema of `run --json`, one a line, without `v` and `seq`. The rows of one worker are
-- committed in the order of `place`; rows of different workers are not.
CREATE TABLE raclette.output (
  batch bigint NOT NULL REFERENCES raclette.batch ON DELETE CASCADE,
  worker bigint NOT NULL,
  place bigint NOT NULL DEFAULT nextval('raclette.output_order'),
  events text NOT NULL,
  PRIMARY KEY (batch, worker, place)
);
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

-- Cancels what waits, and asks workers to cancel what they hold.
CREATE OR REPLACE FUNCTION raclette.cancel_entries(of_batch bigint, only_entry bigint)
RETURNS TABLE (waiting bigint, running bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  found bigint[];
BEGIN
  WITH queued AS (
    DELETE FROM queue WHERE queue.lane IN (SELECT id FROM lane WHERE lane.batch = of_batch)
      AND (only_entry IS NULL OR queue.entry = only_entry) RETURNING queue.entry),
  delayed AS (
    DELETE FROM later WHERE later.batch = of_batch
      AND (only_entry IS NULL OR later.entry = only_entry) RETURNING later.entry)
  SELECT array_agg(entry) INTO found FROM (TABLE queued UNION ALL TABLE delayed) AS entries;
  PERFORM conclude(found, 'cancelled', 'cancelled', 'the execution was cancelled');
  waiting := coalesce(cardinality(found), 0);
  UPDATE claim SET is_cancelled = true
  WHERE claim.batch = of_batch AND (only_entry IS NULL OR claim.entry = only_entry);
  GET DIAGNOSTICS running = ROW_COUNT;
  IF running > 0 THEN PERFORM pg_notify('raclette_work', 'cancel'); END IF;
  RETURN NEXT;
END $$;
-- What the role of workers may call. Each call names the worker by its session, which only it knows.

-- The version of the schema.
CREATE OR REPLACE FUNCTION raclette.version() RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
  SELECT number FROM schema_version
$$;

-- Renews the lease, or begins it. Returns what the worker has to cancel; is_known is false if the
-- lease is over, so that all it held is executed elsewhere.
--
-- `held` is null, or after a lost connection the tokens that the worker knows of: claims whose answer
-- never arrived go back.
CREATE OR REPLACE FUNCTION raclette.beat(
  of_session uuid, is_new boolean, new_name text, new_version text, new_tags text[],
  new_jobs integer, draining boolean, of_batch bigint, lease double precision, held bigint[]
) RETURNS TABLE (is_known boolean, cancelled bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  self bigint;
  until timestamptz := clock_timestamp() + make_interval(secs => least(greatest(lease, 0.2), 600));
BEGIN
  UPDATE worker SET seen = clock_timestamp(), deadline = until, is_draining = draining
  WHERE session = of_session RETURNING id INTO self;
  IF self IS NULL AND is_new THEN
    INSERT INTO worker (session, name, version, tags, jobs, is_draining, only_batch, deadline)
    VALUES (
      of_session, left(new_name, 200), left(new_version, 50), new_tags, new_jobs, draining,
      of_batch, until)
    RETURNING id INTO self;
  END IF;
  is_known := self IS NOT NULL;
  IF is_known AND held IS NOT NULL THEN
    WITH forgotten AS (
      DELETE FROM claim WHERE claim.worker = self AND NOT token = ANY (held)
      RETURNING lane, entry, batch, attempt, losses, waits_since, begun)
    INSERT INTO queue (lane, entry, batch, attempt, losses, waits_since)
    SELECT lane, entry, batch, attempt - (begun IS NULL)::integer, losses, waits_since
    FROM forgotten;
  END IF;
  IF is_known THEN
    cancelled := ARRAY(SELECT token FROM claim WHERE claim.worker = self AND is_cancelled);
  END IF;
  PERFORM reap();
  IF EXISTS (SELECT FROM later WHERE due <= clock_timestamp()) THEN
    WITH due AS (
      DELETE FROM later WHERE later.entry = ANY (ARRAY(
        SELECT l.entry FROM later l WHERE l.due <= clock_timestamp()
        ORDER BY l.due LIMIT 1000 FOR UPDATE SKIP LOCKED))
      RETURNING lane, entry, batch, attempt, losses, waits_since)
    INSERT INTO queue (lane, entry, batch, attempt, losses, waits_since)
    SELECT lane, entry, batch, attempt, losses, waits_since FROM due;
  END IF;
  PERFORM settle();
  RETURN NEXT;
END $$;

-- Ends the lease of a worker that leaves: what it still holds goes back.
CREATE OR REPLACE FUNCTION raclette.leave(of_session uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  self bigint;
BEGIN
  SELECT id INTO self FROM worker WHERE session = of_session FOR UPDATE;
  IF self IS NULL THEN RETURN; END IF;
  WITH gone AS (
    DELETE FROM claim WHERE claim.worker = self
    RETURNING lane, entry, batch, attempt, losses, waits_since, begun)
  INSERT INTO queue (lane, entry, batch, attempt, losses, waits_since)
  SELECT lane, entry, batch, attempt - (begun IS NULL)::integer, losses, waits_since FROM gone;
  IF FOUND THEN PERFORM pg_notify('raclette_work', ''); END IF;
  DELETE FROM worker WHERE id = self;
  PERFORM settle();
END $$;

-- Claims up to `want` entries, from the batches in turn.
CREATE OR REPLACE FUNCTION raclette.claim_entries(self bigint, want integer)
RETURNS TABLE (
  token bigint, entry bigint, batch bigint, attempt integer, kind text, command text, input text,
  name text, plan text, line bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  lanes bigint[];
  one bigint;
  share integer;
  got integer;
  remaining integer := least(want, 10000);
BEGIN
  lanes := ARRAY(
    SELECT l.id FROM worker w, lane l JOIN raclette.batch b ON b.id = l.batch
    WHERE w.id = self AND b.ended IS NULL AND l.tags <@ w.tags
      AND (w.only_batch IS NULL OR w.only_batch = l.batch)
      AND EXISTS (SELECT FROM queue q WHERE q.lane = l.id)
    ORDER BY random());
  IF cardinality(lanes) = 0 THEN RETURN; END IF;
  share := greatest(1, remaining / cardinality(lanes));
  FOR pass IN 1..2 LOOP
    FOREACH one IN ARRAY lanes LOOP
      EXIT WHEN remaining <= 0;
      RETURN QUERY EXECUTE format(
        -- A parameter as limit makes plans that read too much.
        'WITH taken AS (
          DELETE FROM raclette.queue WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM raclette.queue WHERE lane = $1 ORDER BY entry LIMIT %s
            FOR UPDATE SKIP LOCKED))
          RETURNING lane, entry, batch, attempt, losses, waits_since),
        claimed AS (
          INSERT INTO raclette.claim (
            token, worker, lane, entry, batch, attempt, losses, waits_since)
          SELECT nextval(''raclette.token''), $2, lane, entry, batch, attempt + 1, losses,
            waits_since
          FROM taken ORDER BY entry
          RETURNING token, entry, batch, attempt)
        SELECT c.token, c.entry, c.batch, c.attempt, e.kind, e.command, e.input, e.name, e.plan,
          e.line
        FROM claimed c JOIN raclette.entry e ON e.id = c.entry ORDER BY c.entry',
        least(share, remaining)) USING one, self;
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
-- nobody's. An end that was recorded before with the same token is not refused: the connection may
-- have been lost after the commit.
--
-- done_states are completed, failed, cancelled, `returned` for what was not begun, `interrupted` for
-- what the worker has cancelled to leave, `crashed` for what ended with the process that executed it,
-- and `not_enabled`. Ends without an event get one. The output of a claim has its token; 0 is output
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
SET jit = off SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  self raclette.worker;
  one record;
  claimed integer;
BEGIN
  SELECT * INTO self FROM worker WHERE session = of_session FOR SHARE;
  IF self.id IS NULL THEN
    RETURN QUERY SELECT -d, 0::bigint, 0::bigint, 0, '', '', '', '', '', 0::bigint
      FROM unnest(done_tokens) AS d
      WHERE NOT EXISTS (SELECT FROM ended e WHERE e.token = d);
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
    FOR one IN
      WITH done AS (
        SELECT * FROM unnest(
          done_tokens, done_states, done_durations, done_attempts, done_codes, done_kinds,
          done_errors, done_outputs, done_events) WITH ORDINALITY
          AS d(token, state, duration, attempts, code, error_kind, error, output, events, place)),
      held AS (
        DELETE FROM claim c WHERE c.token = ANY (done_tokens) AND c.worker = self.id
        RETURNING c.token, c.lane, c.entry, c.batch, c.attempt, c.losses, c.waits_since),
      known AS (
        SELECT d.*, h.lane, h.entry, h.batch, h.attempt, h.losses, h.waits_since,
          d.state = 'not_enabled' AND clock_timestamp() <
            coalesce(h.waits_since, clock_timestamp())
              + make_interval(secs => b.enabled_timeout) AS waits,
          d.state IN ('returned', 'interrupted') OR d.state = 'crashed' AND h.losses < 2
            AS goes_back
        FROM done d JOIN held h ON h.token = d.token JOIN raclette.batch b ON b.id = h.batch),
      given_back AS (
        INSERT INTO queue (lane, entry, batch, attempt, losses, waits_since)
        SELECT k.lane, k.entry, k.batch, k.attempt - (k.state = 'returned')::integer,
          k.losses + (k.state = 'crashed')::integer, k.waits_since
        FROM known k WHERE k.goes_back),
      delayed AS (
        INSERT INTO later (entry, due, lane, batch, attempt, losses, waits_since)
        SELECT k.entry, clock_timestamp() + interval '1 second', k.lane, k.batch, k.attempt - 1,
          k.losses, coalesce(k.waits_since, clock_timestamp())
        FROM known k WHERE k.waits),
      recorded AS (
        INSERT INTO ended (
          entry, batch, token, worker, worker_name, attempt, state, started, duration, attempts,
          code, error_kind, error, output)
        SELECT k.entry, k.batch, k.token, self.id, self.name, k.attempt,
          CASE WHEN k.state IN ('not_enabled', 'crashed') THEN 'failed' ELSE k.state END,
          clock_timestamp() - make_interval(secs => k.duration), k.duration, k.attempts, k.code,
          k.error_kind, k.error, k.output
        FROM known k WHERE NOT k.goes_back AND NOT k.waits
        RETURNING entry),
      shown AS (
        INSERT INTO output (batch, worker, events)
        SELECT k.batch, self.id, string_agg(
          CASE WHEN k.events <> '' THEN k.events ELSE entry_event(
            k.entry, CASE WHEN k.state IN ('completed', 'cancelled') THEN k.state ELSE 'error' END,
            jsonb_strip_nulls(jsonb_build_object(
              'worker', self.name, 'attempt', k.attempt, 'error',
              CASE WHEN k.state NOT IN ('completed', 'cancelled') THEN
                jsonb_build_object('kind', k.error_kind, 'message', k.error) END))) END,
          E'\n' ORDER BY k.place)
        FROM known k WHERE NOT k.goes_back AND NOT k.waits
        GROUP BY k.batch)
      SELECT d.token, k.batch, k.state,
        k.token IS NULL AND NOT EXISTS (SELECT FROM ended e WHERE e.token = d.token) AS is_refused,
        k.state IN ('failed', 'not_enabled', 'crashed') AND NOT k.waits AND NOT k.goes_back
          AS has_failed
      FROM done d LEFT JOIN known k ON k.token = d.token
    LOOP
      IF one.is_refused THEN
        token := -one.token;
        RETURN NEXT;
      ELSE
        IF one.has_failed THEN PERFORM fail_fast(one.batch); END IF;
      END IF;
    END LOOP;
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

-- Cancels the rest of a batch whose submitter wants that after the first failure.
CREATE OR REPLACE FUNCTION raclette.fail_fast(of_batch bigint) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE batch SET cancelled = clock_timestamp()
  WHERE id = of_batch AND fail_fast AND cancelled IS NULL;
  IF FOUND THEN PERFORM cancel_entries(of_batch, NULL); END IF;
END $$;

-- How the entries of a batch are executed.
CREATE OR REPLACE FUNCTION raclette.batch_of(of_session uuid, of_batch bigint)
RETURNS TABLE (bundle text, command_file text, options text)
LANGUAGE sql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
  SELECT b.bundle, u.command_file, b.options
  FROM batch b JOIN bundle u ON u.digest = b.bundle
  WHERE b.id = of_batch AND EXISTS (SELECT FROM worker WHERE session = of_session)
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
-- What submitters and readers call. Each call may be sent again after a lost connection.

-- Begins a batch, whose bundle is there; returns its number.
CREATE OR REPLACE FUNCTION raclette.submit_batch(
  new_submission uuid, new_plan text, new_folder text, new_submitter text, new_bundle text,
  new_options text, fails_fast boolean, new_enabled_timeout double precision
) RETURNS bigint LANGUAGE sql SET search_path = raclette, pg_temp AS $$
  INSERT INTO batch (
    submission, plan, folder, submitter, bundle, options, fail_fast, enabled_timeout)
  VALUES (
    new_submission, new_plan, new_folder, new_submitter, new_bundle, new_options, fails_fast,
    new_enabled_timeout)
  ON CONFLICT (submission) DO UPDATE SET plan = excluded.plan
  RETURNING id
$$;

-- Adds entries from a place on, from 1. Those with a problem fail at once, as input errors. new_tags
-- has a sorted list of tags for each, separated by commas. Returns the numbers of the entries.
CREATE OR REPLACE FUNCTION raclette.submit_entries(
  of_batch bigint, first_place bigint, new_kinds text[], new_commands text[], new_inputs text[],
  new_names text[], new_plans text[], new_lines bigint[], new_keys bytea[], new_tags text[],
  new_problems text[]
) RETURNS TABLE (entry bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  is_cancelled boolean;
  failing record;
BEGIN
  SELECT cancelled IS NOT NULL INTO is_cancelled FROM batch WHERE id = of_batch FOR SHARE;
  INSERT INTO lane (batch, tags)
  SELECT DISTINCT of_batch, string_to_array(t, ',') FROM unnest(new_tags) AS t
  ON CONFLICT DO NOTHING;
  WITH given AS (
    SELECT * FROM unnest(
      new_kinds, new_commands, new_inputs, new_names, new_plans, new_lines, new_keys, new_tags,
      new_problems) WITH ORDINALITY
      AS g(kind, command, input, name, plan, line, key, tags, problem, place)),
  new AS (
    INSERT INTO entry (batch, place, kind, command, input, name, plan, line, key)
    SELECT of_batch, first_place + place - 1, kind, command, input, name, plan, line, key
    FROM given ORDER BY place
    ON CONFLICT (batch, place) DO NOTHING
    RETURNING id, place)
  INSERT INTO queue (lane, entry, batch)
  SELECT l.id, n.id, of_batch
  FROM new n JOIN given g ON g.place = n.place - first_place + 1
    JOIN lane l ON l.batch = of_batch AND l.tags = string_to_array(g.tags, ',')
  WHERE g.problem IS NULL AND NOT is_cancelled;
  FOR failing IN
    SELECT e.id, p.problem
    FROM unnest(new_problems) WITH ORDINALITY AS p(problem, place)
      JOIN entry e ON e.batch = of_batch AND e.place = first_place + p.place - 1
    WHERE p.problem IS NOT NULL
  LOOP
    PERFORM conclude(ARRAY[failing.id], 'failed', 'input', failing.problem);
  END LOOP;
  IF is_cancelled THEN
    PERFORM conclude(
      ARRAY(
        SELECT id FROM entry
        WHERE batch = of_batch
          AND place BETWEEN first_place AND first_place + cardinality(new_kinds) - 1),
      'cancelled', 'cancelled', 'the execution was cancelled');
  END IF;
  PERFORM pg_notify('raclette_work', '');
  RETURN QUERY
    SELECT id FROM entry
    WHERE batch = of_batch
      AND place BETWEEN first_place AND first_place + cardinality(new_kinds) - 1
    ORDER BY place;
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
  SELECT o.worker, o.place, o.events
  FROM writer LEFT JOIN unnest(known_workers, known_places) AS k(worker, place)
      ON k.worker = writer.worker
    CROSS JOIN LATERAL (
      SELECT * FROM output o
      WHERE o.batch = of_batch AND o.worker = writer.worker AND o.place > coalesce(k.place, 0)
      ORDER BY o.place LIMIT 500) AS o
  WHERE writer.worker IS NOT NULL
  ORDER BY o.place
$$;

-- Cancels a batch.
CREATE OR REPLACE FUNCTION raclette.cancel_batch(of_batch bigint)
RETURNS TABLE (waiting bigint, running bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE batch SET cancelled = coalesce(cancelled, clock_timestamp()) WHERE id = of_batch;
  RETURN QUERY SELECT * FROM cancel_entries(of_batch, NULL);
  PERFORM settle();
END $$;

-- Cancels an entry.
CREATE OR REPLACE FUNCTION raclette.cancel_entry(of_entry bigint)
RETURNS TABLE (waiting bigint, running bigint)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT c.* FROM entry e CROSS JOIN LATERAL cancel_entries(e.batch, of_entry) AS c
    WHERE e.id = of_entry;
  PERFORM settle();
END $$;
-- Nobody but the owner may do anything; the role of workers may call the functions of a worker.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'raclette_worker') THEN
    CREATE ROLE raclette_worker NOLOGIN;
  END IF;
END $$;
REVOKE ALL ON SCHEMA raclette FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA raclette FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA raclette FROM PUBLIC;
GRANT USAGE ON SCHEMA raclette TO raclette_worker;
GRANT EXECUTE ON FUNCTION
  raclette.version, raclette.beat, raclette.leave, raclette.claim, raclette.finish, raclette.batch_of,
  raclette.files_of, raclette.part_of
TO raclette_worker;

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
  '{a,b}', '{"",""}', '{NULL,NULL}') FROM generate_series(1, 2) AS b;
SELECT raclette.seal_batch(b, 2) FROM generate_series(1, 2) AS b;
SELECT raclette.cancel_batch(2);

-- Commands whose limit counts over all workers: their lanes have a gate, the name of the command. A
-- claim is a slot of its gate, so that slots end with the lease. Nobody waits for a gate's lock.

-- How many entries of a lane may be claimed, null for any number; and whether those with the input of
-- an execution that runs wait for its result. Locks the gate.
CREATE OR REPLACE FUNCTION raclette.free_slots(of_lane bigint, OUT slots integer, OUT joins boolean)
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
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
  IF self.gate_policy = 'restart' THEN PERFORM replace_earlier(self.gate); END IF;
  slots := greatest(0, self.gate_limit - (
    SELECT count(*) FROM claim c JOIN lane l ON l.id = c.lane WHERE l.gate = self.gate));
  -- Two entries of one claim may be equal.
  IF joins THEN slots := least(slots, 1); END IF;
END $$;

-- True if an execution of the same gate with the same input runs.
CREATE OR REPLACE FUNCTION raclette.is_running(of_entry bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = raclette, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM entry e JOIN lane l ON l.gate = e.command JOIN claim c ON c.lane = l.id
      JOIN entry other ON other.id = c.entry
    WHERE e.id = of_entry AND other.input = e.input)
$$;

-- Makes the latest entry of a gate take the place of all before it.
CREATE OR REPLACE FUNCTION raclette.replace_earlier(of_gate text) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  latest bigint := (
    SELECT max(q.entry) FROM queue q JOIN lane l ON l.id = q.lane WHERE l.gate = of_gate);
  found bigint[];
BEGIN
  -- Whoever has locked a claim is ending it, and may wait for what this transaction locks next.
  UPDATE claim SET is_cancelled = true WHERE token = ANY (ARRAY(
    SELECT c.token FROM claim c JOIN lane l ON l.id = c.lane
    WHERE l.gate = of_gate AND c.entry < latest AND NOT c.is_cancelled
    FOR UPDATE OF c SKIP LOCKED));
  IF FOUND THEN PERFORM pg_notify('raclette_work', 'cancel'); END IF;
  WITH replaced AS (
    DELETE FROM queue WHERE ctid = ANY (ARRAY(
      SELECT q.ctid FROM queue q JOIN lane l ON l.id = q.lane
      WHERE l.gate = of_gate AND q.entry < latest FOR UPDATE OF q SKIP LOCKED))
    RETURNING queue.entry)
  SELECT array_agg(entry) INTO found FROM replaced;
  PERFORM conclude(found, 'cancelled', 'cancelled',
    'replaced by a later entry, as the command''s when_busy is "restart"');
END $$;

-- Opens the gates of claims that have ended: those that wait with the same input, bundle and command
-- get the result if they join, and other workers look again.
CREATE OR REPLACE FUNCTION raclette.open_gates(done_tokens bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
DECLARE
  one record;
  joined record;
BEGIN
  IF NOT EXISTS (SELECT FROM lane WHERE gate <> '') THEN RETURN; END IF;
  FOR one IN
    SELECT d.*, e.command, e.input, b.bundle
    FROM ended d JOIN entry e ON e.id = d.entry JOIN batch b ON b.id = d.batch
    WHERE d.token = ANY (done_tokens) AND d.token > 0 AND d.state IN ('completed', 'failed')
      AND EXISTS (SELECT FROM lane l WHERE l.gate = e.command AND l.gate_policy = 'join')
    ORDER BY d.entry
  LOOP
    FOR joined IN
      DELETE FROM queue WHERE ctid = ANY (ARRAY(
        SELECT q.ctid FROM queue q JOIN lane l ON l.id = q.lane JOIN entry e ON e.id = q.entry
          JOIN batch b ON b.id = q.batch
        WHERE l.gate = one.command AND l.gate_policy = 'join' AND e.input = one.input
          AND b.bundle = one.bundle
        FOR UPDATE OF q SKIP LOCKED))
      RETURNING queue.entry, queue.batch
    LOOP
      INSERT INTO ended (
        entry, batch, token, worker, worker_name, attempt, state, started, duration, attempts, code,
        error_kind, error, output)
      VALUES (
        joined.entry, joined.batch, 0, one.worker, one.worker_name, one.attempt, one.state,
        one.started, one.duration, one.attempts, one.code, one.error_kind, one.error, one.output);
      PERFORM tell(joined.batch, entry_event(
        joined.entry, CASE one.state WHEN 'failed' THEN 'error' ELSE one.state END,
        jsonb_strip_nulls(jsonb_build_object('worker', one.worker_name, 'error',
          CASE one.state WHEN 'failed' THEN
            jsonb_build_object('kind', one.error_kind, 'message', one.error) END))));
    END LOOP;
  END LOOP;
  PERFORM pg_notify('raclette_work', '');
END $$;

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
  IF self.gate_policy = 'restart' AND NOT replace_earlier(self.gate) THEN RETURN; END IF;
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

-- Makes the latest entry of a gate take the place of all before it. False if somebody else has locked
-- what that needs.
CREATE OR REPLACE FUNCTION raclette.replace_earlier(of_gate text) RETURNS boolean
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
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

-- Opens the gates of lanes in which claims have ended. Those that wait with the same input, bundle and
-- command as one of them get its result if they join, which the caller tells; other workers look again.
CREATE OR REPLACE FUNCTION raclette.open_gates(lanes bigint[], done_tokens bigint[])
RETURNS bigint[] LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
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

-- Needs that one worker executes for all workers of a batch. What a worker executes is free again when
-- its lease is over.

-- The key of a need in the table: worth nothing in another batch.
CREATE OR REPLACE FUNCTION raclette.need_key(of_batch bigint, of_key text) RETURNS text
LANGUAGE sql STABLE SET search_path = raclette, pg_temp AS $$
  SELECT encode(sha256(convert_to(submission::text || of_key, 'UTF8')), 'hex')
  FROM batch WHERE id = of_batch
$$;

-- Leaves a need to the first worker that asks. The state is `execute` for that one, otherwise running,
-- completed or failed; null without a lease.
CREATE OR REPLACE FUNCTION raclette.take_need(
  of_session uuid, of_batch bigint, of_key text, OUT state text, OUT error_kind text, OUT error text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
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

-- Records how a need has ended. One that was cancelled is left to the next worker that asks; without a
-- key, all are that the worker executes of the batch.
CREATE OR REPLACE FUNCTION raclette.end_need(
  of_session uuid, of_batch bigint, of_key text, new_state text, new_kind text, new_error text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
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

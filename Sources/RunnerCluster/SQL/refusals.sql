-- Batches that workers cannot execute, as when a command file does not load where they are.

-- Gives back what a worker holds of a batch, of which it gets nothing more. Readers of the batch see why.
CREATE OR REPLACE FUNCTION raclette.refuse(of_session uuid, of_batch bigint, new_reason text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
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

-- Takes back a refusal whose cause has passed.
CREATE OR REPLACE FUNCTION raclette.accept(of_session uuid, of_batch bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = raclette, pg_temp AS $$
  DELETE FROM refusal r USING worker w
  WHERE w.session = of_session AND r.worker = w.id AND r.batch = of_batch
$$;

-- Fails what waits of batches that all workers there refuse, the last of them for as long as an entry
-- may wait for its command.
CREATE OR REPLACE FUNCTION raclette.conclude_refused() RETURNS void
LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
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

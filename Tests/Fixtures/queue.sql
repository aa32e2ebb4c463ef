-- Batches and workers of the tests of the queue, without a program that executes anything.
CREATE EXTENSION dblink;
CREATE SCHEMA t;

-- Adds entries with the inputs of a list to a batch.
CREATE FUNCTION t.page(
  batch bigint, first bigint, inputs text[], problem text DEFAULT NULL, gate text DEFAULT '',
  policy text DEFAULT ''
) RETURNS SETOF bigint LANGUAGE sql AS $$
  SELECT (raclette.submit_entries(
    batch, first, array_agg('command'::text), array_agg('c'::text), array_agg(i), array_agg(NULL::text),
    array_agg('p'::text), array_agg(1::bigint), array_agg(convert_to(i, 'UTF8')), array_agg(''::text),
    array_agg(problem), array_agg(gate), array_agg(1), array_agg(policy), array_agg(0::bigint))).entry
  FROM unnest(inputs) AS i
$$;

-- Begins a batch with some entries; returns its number.
CREATE FUNCTION t.batch(
  inputs text[], fails_fast boolean DEFAULT false, gate text DEFAULT '', policy text DEFAULT '',
  is_sealed boolean DEFAULT true, resumes boolean DEFAULT false
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE number bigint;
BEGIN
  INSERT INTO raclette.bundle (digest, command_file) VALUES ('b', 'c') ON CONFLICT DO NOTHING;
  number := raclette.submit_batch(
    gen_random_uuid(), 'p', '/', 'me', 'b', '[]', fails_fast, 60, resumes);
  PERFORM t.page(number, 1, inputs, NULL, gate, policy);
  IF is_sealed THEN PERFORM raclette.seal_batch(number, cardinality(inputs)); END IF;
  RETURN number;
END $$;

CREATE FUNCTION t.session(worker integer) RETURNS uuid LANGUAGE sql AS
  $$SELECT ('00000000-0000-4000-8000-' || lpad(worker::text, 12, '0'))::uuid$$;

-- Renews a lease of a minute.
CREATE FUNCTION t.beat(worker integer) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT cancelled FROM raclette.beat(
    t.session(worker), true, 'w' || worker, '1', '{}', 1, false, NULL, 60, NULL)
$$;

-- Claims for a worker; returns the tokens.
CREATE FUNCTION t.claim(worker integer, want integer) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(token) FROM (SELECT t.beat(worker)) AS b,
    raclette.claim(t.session(worker), want)
$$;

-- Ends claims; returns the tokens that are refused.
CREATE FUNCTION t.finish(worker integer, tokens bigint[], state text, begun bigint[] DEFAULT '{}')
RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(token) FROM raclette.finish(
    t.session(worker), tokens, ARRAY(SELECT state FROM unnest(tokens)),
    ARRAY(SELECT 0.1::float8 FROM unnest(tokens)), ARRAY(SELECT 1 FROM unnest(tokens)),
    ARRAY(SELECT NULL::integer FROM unnest(tokens)), ARRAY(SELECT 'k' FROM unnest(tokens)),
    ARRAY(SELECT 'e' FROM unnest(tokens)), ARRAY(SELECT NULL::bytea FROM unnest(tokens)),
    ARRAY(SELECT '' FROM unnest(tokens)), begun, '{}', '{}', '{}', '{}', 0)
$$;

-- Lets the lease of a worker end.
CREATE FUNCTION t.lose(number integer) RETURNS void LANGUAGE sql AS $$
  UPDATE raclette.worker
  SET deadline = clock_timestamp() - interval '1 second', seen = clock_timestamp()
  WHERE session = t.session(number)
$$;

-- Opens another connection.
CREATE FUNCTION t.connect(name text) RETURNS text LANGUAGE sql AS $$
  SELECT dblink_connect(
    name, format('dbname=%s user=postgres host=%s', current_database(),
      current_setting('unix_socket_directories')))
$$;

-- Waits until a number of connections wait for locks.
CREATE FUNCTION t.wait_for_waiting(number integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    EXIT WHEN (SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted) >= number;
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$;

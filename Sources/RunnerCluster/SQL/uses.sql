-- What executions use: a claim is a promise of it, so that it ends with the lease. Workers promise it
-- among the executions that they hold, needs included; this only leaves to others what they cannot have.

-- The amount of a resource that a worker has for the entries of a lane; null if it has none.
CREATE OR REPLACE FUNCTION raclette.stock(
  of_worker raclette.worker, of_lane raclette.lane, resource text
)
RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(of_worker.resources -> resource, of_lane.offers -> resource)
$$;

-- How many executions that use an amount fit into another; 0 if one is a number and the other a size.
CREATE OR REPLACE FUNCTION raclette.fits(amount jsonb, stock jsonb, used numeric) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof(stock) = jsonb_typeof(amount) THEN least(10000, greatest(0,
    floor(((stock #>> '{}')::numeric - used) / (amount #>> '{}')::numeric)))::integer ELSE 0 END
$$;

-- How many entries of a lane a worker has room for, null for any number; and whether it has for one once
-- what it holds has ended.
CREATE OR REPLACE FUNCTION raclette.free_uses(
  self bigint, of_lane bigint, OUT room integer, OUT is_awaited boolean
) LANGUAGE plpgsql SET search_path = raclette, pg_temp AS $$
#variable_conflict use_column
BEGIN
  SELECT min(fits(u.amount, s.stock, s.used)), min(fits(u.amount, s.stock, 0)) > 0
  INTO room, is_awaited
  FROM lane l CROSS JOIN worker w CROSS JOIN LATERAL jsonb_each(l.uses) AS u(name, amount)
    CROSS JOIN LATERAL (
      SELECT stock(w, l, u.name) AS stock, (
        SELECT coalesce(sum((o.uses ->> u.name)::numeric), 0)
        FROM claim c JOIN lane o ON o.id = c.lane
        WHERE c.worker = w.id AND o.uses ? u.name) AS used) AS s
  WHERE l.id = of_lane AND w.id = self;
  is_awaited := is_awaited AND room = 0;
END $$;

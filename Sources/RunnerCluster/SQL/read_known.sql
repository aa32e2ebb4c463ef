-- Of some keys, those whose entry has completed, or waits or runs, in another batch than $2.
SELECT k.place, e.id, coalesce(e.state, 'waiting'), e.batch
FROM unnest($1::bytea[]) WITH ORDINALITY AS k(key, place)
CROSS JOIN LATERAL (
  SELECT entry.id, entry.batch, ended.state
  FROM raclette.entry LEFT JOIN raclette.ended ON ended.entry = entry.id
  WHERE entry.key = k.key AND entry.batch <> $2::bigint
    AND (ended.entry IS NULL OR ended.state = 'completed')
  ORDER BY ended.state IS NULL, entry.id LIMIT 1) AS e

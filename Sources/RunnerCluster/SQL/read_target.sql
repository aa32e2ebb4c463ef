-- What a number names: a batch or an entry, and how it has ended, if it has.
SELECT 'batch', plan, CASE
  WHEN ended IS NULL THEN NULL WHEN cancelled IS NULL THEN 'ended' ELSE 'cancelled' END
FROM raclette.batch WHERE id = $1::bigint
UNION ALL
SELECT 'entry', CASE WHEN command = '' THEN 'malformed' ELSE command END, ended.state
FROM raclette.entry LEFT JOIN raclette.ended ON ended.entry = entry.id WHERE entry.id = $1::bigint

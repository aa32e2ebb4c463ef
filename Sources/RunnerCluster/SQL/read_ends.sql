-- How some entries have ended, with the last lines of their output if $2 is true.
SELECT d.entry, d.state, extract(epoch FROM d.started), d.duration, d.attempts, d.error_kind,
  d.error, d.code, CASE WHEN $2::boolean THEN d.output END, e.kind, e.command, e.input, e.name,
  e.plan, e.line
FROM raclette.ended d JOIN raclette.entry e ON e.id = d.entry
WHERE d.entry = ANY ($1::bigint[])
ORDER BY d.entry

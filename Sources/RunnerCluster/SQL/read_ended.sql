-- How the executions $1, and the latest $2 of all, have ended, the earliest end first.
SELECT e.id, e.batch, e.command, CASE
    WHEN octet_length(e.input) > 65536 THEN to_json(left(e.input, 1000) || '…')::text ELSE e.input
  END, extract(epoch FROM b.submitted), d.state, d.worker_name,
  greatest(d.attempt, 1), extract(epoch FROM d.started), extract(epoch FROM d.at), d.attempts,
  d.error_kind, d.error, d.code
FROM raclette.ended d
JOIN raclette.entry e ON e.id = d.entry
JOIN raclette.batch b ON b.id = d.batch
WHERE e.kind <> 'malformed' AND d.state <> 'skipped' AND d.entry = ANY (
  $1::bigint[] || ARRAY(SELECT entry FROM raclette.ended ORDER BY entry DESC LIMIT $2::bigint))
ORDER BY d.at, d.entry

-- A batch, with seconds since 1970.
SELECT plan, folder, submitter, extract(epoch FROM submitted), size,
  extract(epoch FROM cancelled), extract(epoch FROM ended), bundle,
  extract(epoch FROM clock_timestamp())
FROM raclette.batch WHERE id = $1::bigint

-- Of some files, those that are not there with all their parts.
SELECT DISTINCT f.digest FROM unnest($1::text[], $2::integer[]) AS f(digest, parts)
WHERE (SELECT count(*) FROM raclette.blob WHERE blob.digest = f.digest) < f.parts

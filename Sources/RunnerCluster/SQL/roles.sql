-- Nobody but the owner may do anything; the role of workers may call the functions of a worker.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'raclette_worker') THEN
    CREATE ROLE raclette_worker NOLOGIN;
  END IF;
END $$;
REVOKE ALL ON SCHEMA raclette FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA raclette FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA raclette FROM PUBLIC;
GRANT USAGE ON SCHEMA raclette TO raclette_worker;
GRANT EXECUTE ON FUNCTION
  raclette.version, raclette.beat, raclette.leave, raclette.claim, raclette.finish, raclette.batch_of,
  raclette.files_of, raclette.part_of
TO raclette_worker;

-- Nobody but the owner may do anything; the role of workers may call the functions of a worker. An owner
-- who may not make it works alone until somebody else has.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'raclette_worker') THEN
    CREATE ROLE raclette_worker NOLOGIN;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  NULL;
END $$;
REVOKE ALL ON SCHEMA raclette FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA raclette FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA raclette FROM PUBLIC;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'raclette_worker') THEN
    GRANT USAGE ON SCHEMA raclette TO raclette_worker;
    GRANT EXECUTE ON FUNCTION
      raclette.version, raclette.beat, raclette.leave, raclette.claim, raclette.finish, raclette.batch_of,
      raclette.files_of, raclette.part_of, raclette.refuse, raclette.accept, raclette.take_need,
      raclette.end_need
    TO raclette_worker;
  END IF;
END $$;

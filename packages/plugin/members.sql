-- The rights of a team's members in the store's database. Run it as the owner, after `memory push` has made the
-- schema; to run it again changes nothing.
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'session_runtime_member') THEN
    CREATE ROLE session_runtime_member NOLOGIN;
  END IF;
END $$;

-- No DELETE, no TRUNCATE, and nothing of the schema itself: triggers attribute each row to the role that logged in.
REVOKE ALL ON SCHEMA session_runtime FROM PUBLIC, session_runtime_member;
REVOKE ALL ON ALL TABLES IN SCHEMA session_runtime FROM PUBLIC, session_runtime_member;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA session_runtime FROM PUBLIC, session_runtime_member;

GRANT USAGE ON SCHEMA session_runtime TO session_runtime_member;
GRANT SELECT ON session_runtime.server TO session_runtime_member;
GRANT SELECT, INSERT, UPDATE
  ON session_runtime.item, session_runtime.project, session_runtime.lease TO session_runtime_member;
GRANT SELECT, INSERT (id, project, item, member) ON session_runtime.change TO session_runtime_member;
GRANT SELECT, USAGE ON SEQUENCE session_runtime.change_number TO session_runtime_member;

-- A member comes:
--   CREATE ROLE ann LOGIN PASSWORD 'choose one' IN ROLE session_runtime_member;
-- A member goes (what ann wrote stays, under her name):
--   REVOKE session_runtime_member FROM ann; ALTER ROLE ann NOLOGIN;

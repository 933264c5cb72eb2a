// Defines the schema of the team's store in PostgreSQL, and brings it up to date.
import type { Server, Sql } from "./connection.ts";

const firstMigration = `
CREATE SCHEMA IF NOT EXISTS session_runtime;

CREATE TABLE session_runtime.server (
  one integer PRIMARY KEY CHECK (one = 1),
  -- A store that was set up again is another one.
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  version integer NOT NULL
);
INSERT INTO session_runtime.server (one, version) VALUES (1, 0);

-- Given out while the project is locked: who sees a number sees all lower ones of the project.
CREATE SEQUENCE session_runtime.change_number;

CREATE TABLE session_runtime.item (
  id text PRIMARY KEY,
  project text NOT NULL,
  kind text NOT NULL,
  number bigint NOT NULL,
  -- Of an active memory's words.
  digest text,
  superseded_by text,
  member text,
  body jsonb NOT NULL
);
CREATE INDEX item_by_number ON session_runtime.item (project, number);
CREATE INDEX item_by_digest ON session_runtime.item (project, digest) WHERE digest IS NOT NULL;
CREATE INDEX item_by_successor ON session_runtime.item (superseded_by)
  WHERE superseded_by IS NOT NULL;

-- Which changes were taken, of whom: each once. The role is the server's word, the member the client's.
CREATE TABLE session_runtime.change (
  id text PRIMARY KEY,
  project text NOT NULL,
  item text NOT NULL,
  member text,
  role name NOT NULL DEFAULT session_user,
  at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE session_runtime.project (
  id text PRIMARY KEY,
  name text NOT NULL,
  workspace text,
  shares text NOT NULL,
  member text
);
CREATE INDEX project_by_workspace ON session_runtime.project (workspace);

CREATE TABLE session_runtime.lease (
  project text NOT NULL,
  name text NOT NULL,
  holder text NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (project, name)
);
`;

/** Changes are attributed to the login role, whatever a client claims. */
const attributionMigration = `
ALTER TABLE session_runtime.item ADD COLUMN role name;
ALTER TABLE session_runtime.project ADD COLUMN role name;

CREATE FUNCTION session_runtime.attribute_item() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claimed text := NEW.member;
  present session_runtime.item;
BEGIN
  IF NEW.body->>'id' IS DISTINCT FROM NEW.id OR NEW.body->>'project' IS DISTINCT FROM NEW.project
    OR NEW.body->>'kind' IS DISTINCT FROM NEW.kind THEN
    RAISE EXCEPTION 'an item and its body differ' USING ERRCODE = 'check_violation';
  END IF;
  NEW.member := session_user;
  NEW.role := session_user;
  SELECT * INTO present FROM session_runtime.item WHERE id = NEW.id;
  -- Words that another member gave a row, and that stay, are still that member's.
  IF FOUND AND present.kind = NEW.kind AND present.member = claimed
    AND present.body->>'text' IS NOT DISTINCT FROM NEW.body->>'text' THEN
    NEW.member := claimed;
  ELSIF NOT FOUND AND NEW.superseded_by IS NOT NULL AND EXISTS (
    -- A former wording: of whoever the row belongs to that it was the wording of.
    SELECT 1 FROM session_runtime.item AS former WHERE former.id = NEW.superseded_by
      AND former.member = claimed AND former.body->>'text' = NEW.body->>'text'
  ) THEN
    NEW.member := claimed;
  END IF;
  NEW.body := jsonb_set(NEW.body, '{member}', to_jsonb(NEW.member));
  -- Nothing is new: nobody has to take it again.
  IF TG_OP = 'UPDATE' AND NEW.body = OLD.body THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER attribute_item BEFORE INSERT OR UPDATE ON session_runtime.item
  FOR EACH ROW EXECUTE FUNCTION session_runtime.attribute_item();

CREATE FUNCTION session_runtime.attribute() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.member := session_user;
  NEW.role := session_user;
  RETURN NEW;
END $$;
CREATE TRIGGER attribute_project BEFORE INSERT OR UPDATE ON session_runtime.project
  FOR EACH ROW EXECUTE FUNCTION session_runtime.attribute();
CREATE TRIGGER attribute_change BEFORE INSERT OR UPDATE ON session_runtime.change
  FOR EACH ROW EXECUTE FUNCTION session_runtime.attribute();
`;

/** Migrations in order; a released one never changes. */
const MIGRATIONS: readonly string[] = [firstMigration, attributionMigration];

export const SERVER_VERSION = MIGRATIONS.length;

/** The key of the lock ("SRRT") under which one machine at a time sets up or updates the schema. */
const SETUP_LOCK = 0x53525254;

/** Returns null if there is no schema, or if this role may not read it. */
export async function readServerVersion(sql: Sql): Promise<number | null> {
  // Avoids `to_regclass`: a connection that has asked before remembers that the table was missing.
  const found = await sql`
    SELECT 1 FROM pg_catalog.pg_class AS class
    JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
    WHERE space.nspname = 'session_runtime' AND class.relname = 'server'`;
  if (found.length === 0) return null;
  const [row] = await sql`SELECT version FROM session_runtime.server`;
  return row === undefined ? null : Number(row.version);
}

/** Updates the schema and its version table under one lock. The role needs CREATE privilege on the database. */
export async function migrateServer(server: Server): Promise<void> {
  const { sql } = server;
  await server.begin(async () => {
    await sql`SELECT pg_advisory_xact_lock(${SETUP_LOCK})`;
    const currentVersion = (await readServerVersion(sql)) ?? 0;
    for (const [at, text] of MIGRATIONS.entries()) {
      if (at < currentVersion) continue;
      await server.script(text);
      await sql`UPDATE session_runtime.server SET version = ${at + 1}`;
    }
  });
}

// A database as development versions had it: the last of them, with a bit of all that is brought over.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { schema } from "../schema.ts";
import { session } from "./records.ts";

/** Of the last development version, whose tables were those of version 0.1.0. */
export const DEVELOPMENT_SCHEMA = 31;

const ROWS = `
INSERT INTO session (id, created_at_ms, harness) VALUES
  ('${session}', 1, 'pi'), ('ses_without_anything', 2, NULL);
INSERT INTO memory_workspace VALUES ('shop', 1);
INSERT INTO memory_project (id, name, worktree, workspace, shares, seen_at_ms, numbered) VALUES
  ('commit:c0ffee', 'api', '/work/api', 'shop', 'NAMING', 2, 5);
INSERT INTO project_place VALUES ('/work/api', 'commit:c0ffee', 2);
INSERT INTO memory_remote VALUES ('commit:c0ffee', 'host/api', 'own', 0);
INSERT INTO memory (id, ref, project, number, source, category, text, digest, importance, permanence, state,
  superseded_by, by, written_at_ms, changed_at_ms, checked_at_ms) VALUES
  ('two', 'm:000002', 'commit:c0ffee', NULL, 'user', 'NAMING', 'Tables have singular names.', 'a2', 50,
   'ordinary', 'superseded', 'one', 'user', 2, 3, 2),
  ('one', 'm:000001', 'commit:c0ffee', 5, 'user', 'NAMING', 'Tables are named in the singular.', 'a1', 60,
   'permanent', 'active', NULL, 'user', 3, 3, 3);
INSERT INTO note (id, ref, project, session_id, text, by, condition, state, written_at_ms) VALUES
  ('three', 'n:000001', 'commit:c0ffee', '${session}', 'Run the migration.', 'user', NULL, 'open', 5),
  ('four', 'n:000002', 'commit:c0ffee', NULL, 'Renew the key.', 'model', '{"kind":"date","atMs":9}', 'waiting', 6);
INSERT INTO user_profile VALUES (1, 'Likes short answers.', 'model', 7);
UPDATE team_link SET member = 'ann', server = 'postgres://team';
INSERT INTO team_project VALUES ('commit:c0ffee', 12);
INSERT INTO session_input (session_id, id, rank, directory, delivery, state, message_id, digest, preview,
  part_count, prompt, admitted_at_ms) VALUES
  ('${session}', 'queued', 1, '/work/api', 'queue', 'waiting', NULL, 'd', '"Look at"', 1,
   '{"form":"given","reply":"wanted","parts":[{"type":"text","text":"Look at the\\nherons."}],"agent":null,"model":null,"variant":null,"system":null,"format":null}', 8),
  ('${session}', 'answered', 2, '/work/api', 'queue', 'answered', 'msg_2', 'e', '"Done"', 1, NULL, 9);
`;

/** By the SQL that it was made with: making one takes ten times as long as copying it. */
const made = new Map<string, Uint8Array>();

/** `more`: further SQL, run when all else is there. */
export function makeDevelopmentDatabase(path: string, more = ""): void {
  const bytes = made.get(more) ?? developmentBytes(more);
  made.set(more, bytes);
  writeFileSync(path, bytes, { mode: 0o600 });
}

function developmentBytes(more: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-development-"));
  const path = join(folder, "runtime.db");
  build(path, more);
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

function build(path: string, more: string): void {
  const driver = openBunDriver(path);
  driver.get("PRAGMA journal_mode = WAL");
  driver.exec("PRAGMA foreign_keys = ON");
  driver.exec(schema.sql);
  driver.exec(ROWS);
  if (more !== "") driver.exec(more);
  driver.exec(`PRAGMA application_id = ${0x53525254}; PRAGMA user_version = ${DEVELOPMENT_SCHEMA}`);
  driver.close();
}

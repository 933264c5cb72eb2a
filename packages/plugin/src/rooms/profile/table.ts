// The table of the user's profile, and its store.
// Folder: How the user likes to work: noted by consent, shown, corrected, forgotten.
import { integer, oneOf, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SchemaPart } from "../../storage/schema-part.ts";
import { ofNoSession, table } from "../../storage/table.ts";

/** Something noted of how the user works. */
export interface Observation {
  readonly id: number;
  readonly text: string;
  readonly by: "model" | "user";
  readonly writtenAtMs: number;
}

const profileTable = table<Observation>(
  "user_profile",
  { id: integer, text, by: oneOf(["model", "user"]), writtenAtMs: integer },
  // Of no project and no session, and it never leaves the machine.
  { key: ["id"], ...ofNoSession },
);

export const profileTables: SchemaPart = {
  tables: [profileTable],
  migrations: [
    {
      version: 14,
      sql: `
-- What the user has allowed to be noted of how they work.
CREATE TABLE user_profile (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  by TEXT NOT NULL CHECK (by IN ('model', 'user')),
  written_at_ms INTEGER NOT NULL
) STRICT;
`,
    },
  ],
};

/** Each write is one short transaction. */
export function profileStore(driver: Driver) {
  const changed = (sql: string, ...values: readonly (string | number)[]) =>
    driver.transaction(() => driver.get(sql, ...values) !== null);
  return {
    /** Oldest first. */
    list: (): readonly Observation[] => driver.all(SELECT).map(profileTable.read),
    add: (observation: Omit<Observation, "id">): number =>
      driver.transaction(() => Number(profileTable.insert(driver, observation)?.id)),
    /** @returns whether there is one */
    edit: (id: number, text: string): boolean => changed(EDIT, text, id),
    /** Removes one for good. @returns whether there was one */
    forget: (id: number): boolean => driver.erase(FORGET, id).length > 0,
    /** Removes all for good. @returns how many there were */
    forgetAll: (): number => driver.transaction(() => driver.erase(FORGET_ALL).length),
  };
}

export type ProfileStore = ReturnType<typeof profileStore>;

const SELECT = `SELECT ${profileTable.columns} FROM user_profile ORDER BY id`;
const EDIT = "UPDATE user_profile SET text = ?, by = 'user' WHERE id = ? RETURNING id";
const FORGET = "DELETE FROM user_profile WHERE id = ? RETURNING id";
const FORGET_ALL = "DELETE FROM user_profile RETURNING id";

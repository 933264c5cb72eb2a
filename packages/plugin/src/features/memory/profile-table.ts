// The table of the user's profile, and its store.
import { integer, knownValue, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { noSessionRules, type RowOf, table } from "../../storage/table.ts";

const profileTable = table(
  "user_profile",
  { id: integer, text, by: knownValue(["model", "user"]), writtenAtMs: integer },
  // The profile belongs to no project and no session, and it never leaves the machine.
  { key: ["id"], ...noSessionRules },
);

/** A note about how the user works. */
export type Observation = RowOf<typeof profileTable>;

export const profileTables: SchemaModule = {
  tables: [profileTable],
  salvage: {
    tables: [
      {
        table: profileTable,
        where: "true",
        noun: ["profile entry", "profile entries"],
        isSetUp: false,
      },
    ],
    toMarkdown: (driver) => {
      const lines = createProfileStore(driver)
        .list()
        .map(({ text }) => `- ${text}`);
      return lines.length === 0 ? "" : ["# How you like to work", "", ...lines, ""].join("\n");
    },
  },
};

/** Stores the profile. Each write is one short transaction. */
export function createProfileStore(driver: Driver) {
  const observations = profileTable.in(driver);
  return {
    /** Lists the observations, oldest first. */
    list: () => observations.list({}, "id"),
    add: (observation: Omit<Observation, "id">): number => observations.insert(observation).id,
    /** @returns whether the observation exists */
    edit: (id: number, text: string): boolean =>
      observations.update({ id }, { text, by: "user" }).length > 0,
    /** Removes an observation for good. @returns whether it existed */
    forget: (id: number): boolean => observations.erase({ id }) > 0,
    /** Removes all observations for good. @returns how many there were */
    forgetAll: (): number => observations.erase({}),
  };
}

export type ProfileStore = ReturnType<typeof createProfileStore>;

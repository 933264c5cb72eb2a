// A team's store as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { isTeamSet } from "./is-set.ts";

export const teamFeature: Feature = {
  name: "team",
  isOn: (config) => isTeamSet(config, process.env),
  words: [
    {
      name: "memory",
      summary: "List, correct, export or import the memories of this project",
      load: async () => (await import("./memory-word.ts")).memoryWord,
    },
  ],
  tables: async () => (await import("./schema.ts")).teamSchemaPart,
  status: async () => (await import("./section.ts")).teamSection,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};

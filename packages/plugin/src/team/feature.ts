// A team's store as declared to the host.
import type { Feature } from "../features/feature.ts";
import { isTeamSet } from "./is-set.ts";

export const teamFeature: Feature = {
  name: "team",
  isOn: (config) => isTeamSet(config, process.env),
  tables: async () => (await import("./schema.ts")).teamSchemaPart,
  status: async () => (await import("./section.ts")).teamSection,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};

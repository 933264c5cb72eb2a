// A team's store as the host is told of it: its rows, for now.
import type { Feature } from "../features/feature.ts";

export const teamFeature: Feature = {
  name: "team",
  isOn: () => false,
  tables: async () => (await import("./schema.ts")).teamSchemaPart,
  open: async () => ({}),
};

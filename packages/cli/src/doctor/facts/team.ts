// Collects facts about the team's store.
import type {
  AddressFault,
  Privacy,
} from "../../../../plugin/src/features/memory/store-address.ts";
import { isTeamSet } from "../../../../plugin/src/features/team/is-set.ts";
import type { Probe } from "../../../../plugin/src/features/team/probe.ts";
import { resolveTeam } from "../../../../plugin/src/features/team/team.ts";
import type { Environment } from "../../host/places.ts";

export type TeamFacts =
  | { readonly kind: "none" }
  /** A value is set, but it is not an address. */
  | { readonly kind: "unreadable"; readonly fault: AddressFault }
  | {
      readonly kind: "set";
      /** The host and database, without the password. */
      readonly shown: string;
      readonly privacy: Privacy;
      readonly probe: Probe;
    };

export async function teamFacts(config: object, env: Environment): Promise<TeamFacts> {
  if (!isTeamSet(config, env)) return { kind: "none" };
  const team = resolveTeam(config, env);
  if (team === null) return { kind: "none" };
  if (typeof team === "string") return { kind: "unreadable", fault: team };
  const { probe } = await import("../../../../plugin/src/features/team/probe.ts");
  const { shown, privacy } = team.address;
  return { kind: "set", shown, privacy, probe: await probe(team.address) };
}

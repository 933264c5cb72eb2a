// Collects facts about the team's store.
import type {
  AddressFault,
  Privacy,
} from "@session-runtime/opencode/features/memory/store-address";
import { isTeamSet } from "@session-runtime/opencode/features/team/is-set";
import type { ProbeResult } from "@session-runtime/opencode/features/team/probe";
import { resolveTeam } from "@session-runtime/opencode/features/team/team";
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
      readonly probe: ProbeResult;
    };

export async function teamFacts(config: object, env: Environment): Promise<TeamFacts> {
  if (!isTeamSet(config, env)) return { kind: "none" };
  const team = resolveTeam(config, env);
  if (team === null) return { kind: "none" };
  if (typeof team === "string") return { kind: "unreadable", fault: team };
  const { probeAddress } = await import("@session-runtime/opencode/features/team/probe");
  const { shown, privacy } = team.address;
  return { kind: "set", shown, privacy, probe: await probeAddress(team.address) };
}

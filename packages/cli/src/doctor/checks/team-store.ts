// Checks that the team's store can be used, and whether its connection can be intercepted.

import {
  type AddressFault,
  describeFault,
} from "@session-runtime/opencode/features/memory/store-address";
import { renderCount } from "@session-runtime/opencode/status/wording";
import type { DatabaseFacts } from "../facts/database.ts";
import type { TeamFacts } from "../facts/team.ts";
import { type Check, type Finding, found, passed } from "../finding.ts";

const PAGE = "docs/team.md";
/** Limits how long entries may wait; attempts are five minutes apart at most. */
const STUCK_MS = 15 * 60_000;

export const teamStore: Check = {
  id: "team-store",
  title: "The team's store can be used",
  answeredBy: [],
  run: ({ team, command, database }) => {
    if (team.kind === "none") return passed("none is set; memories stay on this machine");
    const findings =
      team.kind === "unreadable"
        ? [unreadable(team.fault)]
        : [...collectFindings(team, command), ...outboxFindings(team, database, command)];
    if (findings.length > 0) return found(...findings);
    return passed(team.kind === "set" ? team.shown : "");
  },
};

function unreadable(fault: AddressFault): Finding {
  return warning(
    "team-store-address",
    "The address of the team's store can't be read; memories stay on this machine.",
    `In memory.store, or the variable SESSION_RUNTIME_MEMORY_STORE: ${describeFault(fault)}.`,
    `Correct it; ${PAGE} has an example.`,
  );
}

function collectFindings(
  { shown, privacy, probe }: Extract<TeamFacts, { kind: "set" }>,
  command: string,
): readonly Finding[] {
  const open = warning(
    "team-store-plain",
    `The connection to the team's store at ${shown} is not encrypted.`,
    "The address asks for no encryption, and the server is on another machine: anyone on the way can read the password and the memories.",
    "Add ?sslmode=verify-full to the address.",
  );
  const server = serverFinding(shown, probe, command);
  return [...(privacy === "plain" ? [open] : []), ...(server ? [server] : [])];
}

function serverFinding(
  shown: string,
  probe: Extract<TeamFacts, { kind: "set" }>["probe"],
  command: string,
): Finding | null {
  const store = `The team's store at ${shown}`;
  switch (probe.kind) {
    case "away":
      return awayFinding(store, probe);
    case "too old":
      return warning(
        "team-store-too-old",
        `${store} runs on PostgreSQL ${probe.release}.`,
        "Session Runtime is tested with 15 and later.",
        "Update the server, or use another one.",
      );
    case "empty":
      return warning(
        "team-store-empty",
        `${store} has not been set up.`,
        "The database has no schema session_runtime.",
        probe.mayCreate
          ? `\`${command} memory push\` creates it.`
          : `Your role can't create it: ${PAGE} says what the database's owner does.`,
      );
    case "other version":
      return warning(
        "team-store-version",
        `${store} has schema ${probe.version}; this version knows ${probe.known}.`,
        "It was made by another version of Session Runtime.",
        probe.version > probe.known
          ? "Update Session Runtime on this machine."
          : `Have the database's owner run \`${command} memory push\` with this version.`,
      );
    case "usable":
      if (probe.missing.length === 0) return null;
      return warning(
        "team-store-rights",
        `${store} does not let your role do all that a member does.`,
        `It lacks ${probe.missing.join(", ")}.`,
        `Have the database's owner give it the rights in ${PAGE}.`,
      );
  }
}

type AwayProbe = Extract<Extract<TeamFacts, { kind: "set" }>["probe"], { kind: "away" }>;

function awayFinding(store: string, { fault, problem }: AwayProbe): Finding {
  const says = `It says: ${problem}.`;
  switch (fault) {
    case "tls":
      return warning(
        "team-store-tls",
        `${store} can't be reached over an encrypted connection, which its address requires.`,
        says,
        `Have the server use TLS with a certificate for that name, or name the certificate to trust by sslrootcert=FILE; ${PAGE} has what each sslmode checks.`,
      );
    case "login":
      return warning(
        "team-store-login",
        `${store} doesn't let you log in.`,
        says,
        "Correct the user and the password in memory.store or SESSION_RUNTIME_MEMORY_STORE, or have the server's owner let your role log in from here.",
      );
    case "database":
      return warning(
        "team-store-no-database",
        `${store} does not exist; the server does.`,
        says,
        "Correct the database in the address, after the last /, or have it created: createdb.",
      );
    case "unreachable":
    case "other":
      return warning(
        "team-store-away",
        `${store} can't be used now.`,
        says,
        "Sessions continue with this machine's copy, and what they write waits. Check the address, the network and the server.",
      );
  }
}

/** Reports waiting entries; other findings say why they fail, if they still do. */
function outboxFindings(
  { shown, probe }: Extract<TeamFacts, { kind: "set" }>,
  { file }: DatabaseFacts,
  command: string,
): readonly Finding[] {
  const outbox = file?.outbox ?? null;
  if (outbox === null || outbox.problem === null || probe.kind !== "usable") return [];
  if (outbox.waiting === 0 || outbox.missedForMs < STUCK_MS) return [];
  return [
    warning(
      "team-store-outbox",
      `${renderCount(outbox.waiting, "change")} from this machine ${outbox.waiting === 1 ? "waits" : "wait"} for the team's store at ${shown}.`,
      `The store can be used now, and the last attempt failed: ${outbox.problem}.`,
      `\`${command} memory push\` sends what waits, and says what goes wrong if it fails again.`,
    ),
  ];
}

function warning(code: string, what: string, cause: string, fix: string): Finding {
  return { code, severity: "warning", what, cause, fix };
}

// `session-runtime doctor`: its flags.
import { chmodSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { command, JSON_FLAG } from "../command.ts";
import { bundleText } from "../doctor/bundle.ts";
import { type Diagnosis, diagnose, exitCodeOf, findingsOf } from "../doctor/diagnosis.ts";
import type { Facts } from "../doctor/facts/facts.ts";
import { gatherFacts } from "../doctor/facts/gather.ts";
import { repairAll } from "../doctor/repair.ts";
import { reportText } from "../doctor/report-text.ts";
import { placesOf } from "../host/places.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";

/** `session-runtime doctor`. */
export const doctor = command({
  name: "doctor",
  summary: "Finds out what is wrong, and how to put it right.",
  details: [
    "It starts the real OpenCode with your config against a provider on this machine, in a data folder",
    "of its own: no key, no network and none of your sessions are touched. It changes nothing without --fix.",
    "",
    "It ends with 0 if all is well (notes don't count), with 3 if something needs you.",
  ],
  args: {
    fix: { type: "boolean", description: "Do the safe repairs: what can be undone or had again" },
    live: {
      type: "boolean",
      default: true,
      description: "Start OpenCode",
      negativeDescription: "Don't start OpenCode; what only a start shows is not checked",
    },
    bundle: {
      type: "string",
      valueHint: "file",
      description: "Write a report for an issue, with paths and secrets taken out",
    },
    ...JSON_FLAG,
  },
  examples: [
    { line: "session-runtime doctor", does: "checks everything, here" },
    {
      line: "session-runtime doctor --fix",
      does: "repairs what is safe to repair, and checks again",
    },
    { line: "session-runtime doctor --bundle report.md", does: "a report to attach to an issue" },
    { line: "session-runtime doctor --json --no-live", does: "quick, for a script" },
  ],
  run: async (args, terminal) => {
    const live = args.live ? "try" : "skip";
    let { facts, diagnosis } = await examine(terminal, live);
    let repaired: readonly string[] = [];
    if (args.fix) {
      repaired = repairAll(findingsOf(diagnosis), facts.directory, terminal.env);
      if (repaired.length > 0) ({ facts, diagnosis } = await examine(terminal, live));
    }
    if (args.bundle !== undefined) {
      writePrivate(resolve(args.bundle), bundleText(diagnosis, facts, manifest.version));
    }
    if (args.json) printJson(terminal, asJson(diagnosis, repaired));
    else {
      for (const line of repaired) printLine(terminal, `${terminal.style.good("✔")} ${line}`);
      const text = reportText(diagnosis, terminal.style);
      printLine(terminal, text.replaceAll(`${placesOf(terminal.env).home}/`, "~/"));
      if (args.bundle !== undefined) {
        printLine(terminal, `The report is in ${args.bundle}. Read it before you share it.`);
      }
    }
    return exitCodeOf(diagnosis);
  },
});

/** For its owner alone, also where a file of that name is there. */
function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
}

async function examine(
  terminal: Terminal,
  live: "try" | "skip",
): Promise<{ readonly facts: Facts; readonly diagnosis: Diagnosis }> {
  const facts = await withProgress(terminal, "Looking around", (progress) =>
    gatherFacts({ directory: process.cwd(), env: terminal.env, live, progress }),
  );
  return { facts, diagnosis: diagnose(facts) };
}

function asJson(diagnosis: Diagnosis, repaired: readonly string[]) {
  return {
    isHealthy: findingsOf(diagnosis).every(({ severity }) => severity === "note"),
    findings: findingsOf(diagnosis).map(({ repair, ...finding }) => ({
      ...finding,
      isSafeFix: repair !== null,
    })),
    checks: diagnosis.results.map(({ check, result }) => ({ id: check.id, result: result.kind })),
    repaired,
  };
}

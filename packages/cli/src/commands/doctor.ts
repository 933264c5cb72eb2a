// `session-runtime doctor`: its flags.
import { resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { command, JSON_FLAG } from "../command.ts";
import { bundleText, checkBundlePlace, writeBundle } from "../doctor/bundle.ts";
import {
  collectFindings,
  countTotals,
  type Diagnosis,
  diagnose,
  toExitCode,
} from "../doctor/diagnosis.ts";
import type { Facts } from "../doctor/facts/facts.ts";
import { gatherFacts } from "../doctor/facts/gather.ts";
import { repairAll } from "../doctor/repair.ts";
import { reportText } from "../doctor/report-text.ts";
import { resolvePlaces } from "../host/places.ts";
import { startedAs } from "../invocation.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";
import { fitted } from "../terminal/wrap.ts";

const ISSUE_FILE = "session-runtime-report.md";

/** `session-runtime doctor`. */
export const doctor = command({
  name: "doctor",
  summary: "Finds out what is wrong and how to fix it.",
  details: [
    "It starts the real OpenCode with your config against a provider on this machine, in a temporary data",
    "folder: it uses no key and no network, and leaves your sessions alone. Where Pi's settings list the",
    "extension, it starts Pi, too, without a session. Without --fix it changes nothing.",
    "",
    "It exits with 0 if everything works (notes don't count) and with 3 if something needs fixing.",
  ],
  args: {
    fix: { type: "boolean", description: "Make the safe repairs: those that can be undone" },
    live: {
      type: "boolean",
      default: true,
      description: "Start OpenCode, and Pi",
      negativeDescription: "Don't start OpenCode and Pi, and skip the checks that need it",
    },
    bundle: {
      type: "string",
      valueHint: "file",
      description: "Write a report to attach to an issue, without paths, secrets and prompts",
    },
    issue: {
      type: "boolean",
      description: `Write that report to ${ISSUE_FILE} and say where to send it`,
    },
    ...JSON_FLAG,
  },
  examples: [
    { line: "session-runtime doctor", does: "checks everything for this folder" },
    {
      line: "session-runtime doctor --fix",
      does: "makes the safe repairs and checks again",
    },
    { line: "session-runtime doctor --issue", does: "prepares a report and says where to send it" },
    { line: "session-runtime doctor --json --no-live", does: "quick, for scripts" },
  ],
  run: async (args, terminal) => {
    const live = args.live ? "try" : "skip";
    const bundle = args.bundle ?? (args.issue ? ISSUE_FILE : undefined);
    if (bundle !== undefined) checkBundlePlace(resolve(bundle));
    let { facts, diagnosis } = await examine(terminal, live);
    let repaired: readonly string[] = [];
    if (args.fix) {
      repaired = repairAll(collectFindings(diagnosis), facts.directory, terminal.env);
      if (repaired.length > 0) ({ facts, diagnosis } = await examine(terminal, live));
    }
    if (bundle !== undefined) {
      writeBundle(resolve(bundle), bundleText(diagnosis, facts, manifest.version));
    }
    if (args.json) printJson(terminal, asJson(diagnosis, repaired));
    else {
      for (const line of repaired) printLine(terminal, `${terminal.style.good("✔")} ${line}`);
      const text = reportText(diagnosis, terminal.style);
      const short = text.replaceAll(`${resolvePlaces(terminal.env).home}/`, "~/");
      printLine(terminal, fitted(short, terminal.out));
      if (bundle !== undefined) {
        printLine(terminal, `\nThe report is in ${bundle}. Read it before you share it.`);
      }
      if (args.issue) {
        printLine(terminal, `Attach it to a new issue: ${manifest.bugs}/new`);
        printLine(terminal, "Say what you did, what you expected and what happened instead.");
      }
    }
    return toExitCode(diagnosis);
  },
});

async function examine(
  terminal: Terminal,
  live: "try" | "skip",
): Promise<{ readonly facts: Facts; readonly diagnosis: Diagnosis }> {
  const facts = await withProgress(terminal, "Gathering facts", (progress) =>
    gatherFacts({
      directory: process.cwd(),
      env: terminal.env,
      command: startedAs(),
      live,
      progress,
    }),
  );
  return { facts, diagnosis: diagnose(facts) };
}

function asJson(diagnosis: Diagnosis, repaired: readonly string[]) {
  return {
    isHealthy: collectFindings(diagnosis).every(({ severity }) => severity === "note"),
    findings: collectFindings(diagnosis).map(({ repair, ...finding }) => ({
      ...finding,
      isSafeFix: repair !== undefined,
    })),
    checks: diagnosis.results.map(({ check, result }) => ({ id: check.id, result: result.kind })),
    totals: countTotals(diagnosis),
    repaired,
  };
}

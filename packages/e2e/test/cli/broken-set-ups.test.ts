import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { longTest } from "../long.ts";
import { BROKEN_SET_UPS, type BrokenSetUp, withPlugin } from "./broken-set-ups.ts";
import type { SetUp } from "./set-up.ts";

setDefaultTimeout(600_000);

/** What each may take on a machine that has nothing else to do; others take as much longer as their host. */
const TARGET_MS = 30_000;
const QUIET_VERSION_MS = 500;

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly what: string;
  readonly cause: string;
  readonly fix: string;
}

/** How much slower the host is now than on a quiet machine; asking costs as much as a start of it. */
function pace(): number {
  // Tests run under the host's own Bun, which this variable makes of it.
  const { BUN_BE_BUN: _, ...env } = process.env;
  const began = performance.now();
  Bun.spawnSync([hostBinary(), "--version"], { env });
  return Math.max(1, (performance.now() - began) / QUIET_VERSION_MS);
}

async function examine(setUp: SetUp, row: BrokenSetUp) {
  const env = row.prepare(setUp);
  const words = ["doctor", "--json", ...(row.live === "live" ? [] : ["--no-live"])];
  const cli = row.user === "ordinary" ? setUp.cliAsOrdinaryUser : setUp.cli;
  if (cli === null) throw new Error("There is no way to be an ordinary user here.");
  const began = performance.now();
  const { out, err, exitCode } = await cli(words, env);
  const tookMs = performance.now() - began;
  const limitMs = tookMs < TARGET_MS ? TARGET_MS : TARGET_MS * pace();
  return { out, err, exitCode, tookMs, limitMs };
}

/** With TABLE=file in the environment, each row is appended to it as Markdown. */
function note({ name }: BrokenSetUp, findings: readonly Finding[], root: string): void {
  const file = process.env.TABLE;
  if (file === undefined) return;
  const plain = (text: string) => text.replaceAll(root, "~").replaceAll("|", "\\|");
  const cells = (["code", "what", "cause", "fix"] as const).map((key) =>
    findings.map((finding) => plain(finding[key])).join("<br>"),
  );
  appendFileSync(file, `| ${[name, ...cells].join(" | ")} |\n`);
}

describe("a broken set-up: finding, cause and fix", () => {
  for (const row of BROKEN_SET_UPS) {
    const { name, findings: expected, runs } = row;
    const run = async () => {
      const setUp = withPlugin();
      const { out, err, exitCode, tookMs, limitMs } = await examine(setUp, row);
      expect(`${out}${err}`).not.toMatch(/^\s+at |This should not have happened/m);
      expect(out, err).toStartWith("{");
      const findings: readonly Finding[] = JSON.parse(out).findings;
      note(row, findings, setUp.root);
      const codes = findings.map(({ code }) => code);
      expect(codes, out).toEqual(expected.map(({ code }) => code));
      for (const [index, { what, cause, fix }] of expected.entries()) {
        const finding = findings[index];
        expect(finding?.what).toMatch(what);
        expect(finding?.cause).toMatch(cause);
        expect(finding?.fix).toMatch(fix);
      }
      expectNothingRuns(setUp, row);
      const needsFixing = findings.some(({ severity }) => severity !== "note");
      expect(exitCode).toBe(needsFixing ? 3 : 0);
      console.log(`${name}: ${(tookMs / 1_000).toFixed(1)} s`);
      expect(tookMs).toBeLessThan(limitMs);
    };
    if (runs === "each-run") test(name, run);
    else longTest(name, run);
  }
});

test("there are forty of them, each under a name of its own, and one leaves a child that hangs", () => {
  const names = new Set(BROKEN_SET_UPS.map(({ name }) => name));
  expect(names.size).toBe(BROKEN_SET_UPS.length);
  expect(names.size).toBeGreaterThanOrEqual(40);
  expect([...names].some((name) => name.includes("a child that ignores signals"))).toBe(true);
});

/** What a hanging OpenCode has started is ended with it; Linux shows it. */
function expectNothingRuns({ root }: SetUp, { name }: BrokenSetUp): void {
  const noted = join(root, "hung.pid");
  const hasChild = name.includes("a child that ignores signals");
  expect(existsSync(noted)).toBe(hasChild);
  if (hasChild && existsSync("/proc")) {
    expect(readCommandLine(readFileSync(noted, "utf8").trim())).toBe("");
  }
}

/** Empty for a process that has ended, also where nobody has collected it yet. */
function readCommandLine(pid: string): string {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

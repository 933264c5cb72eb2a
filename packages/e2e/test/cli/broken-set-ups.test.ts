import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { longTest } from "../long.ts";
import { BROKEN_SET_UPS, type BrokenSetUp, withPlugin } from "./broken-set-ups.ts";
import type { SetUp } from "./set-up.ts";

setDefaultTimeout(600_000);

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly what: string;
  readonly cause: string;
  readonly fix: string;
}

async function examine(setUp: SetUp, row: BrokenSetUp) {
  const env = row.prepare(setUp);
  const words = ["doctor", "--json", ...(row.live === "live" ? [] : ["--no-live"])];
  const cli = row.user === "ordinary" ? setUp.cliAsOrdinaryUser : setUp.cli;
  if (cli === null) throw new Error("There is no way to be an ordinary user here.");
  return cli(words, env);
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
      const { out, err, exitCode } = await examine(setUp, row);
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

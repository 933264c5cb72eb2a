import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingPostgres } from "../../plugin/test/features/team/postgres-server.ts";
import { billLimit } from "../src/bench/bill.ts";
import {
  detailsPage,
  FILES,
  keepResult,
  parsePolicy,
  readResults,
  summaryPage,
  writePages,
} from "../src/bench/document.ts";
import { median, quantile } from "../src/bench/figures.ts";
import { importLongSession } from "../src/bench/long-session.ts";
import { measurePostgres, postgresLine } from "../src/bench/memory/postgres.ts";
import { policyMark } from "../src/bench/policy-mark.ts";
import { newSampleFile, readSamples, timedPlugin, toTimedPasses } from "../src/bench/samples.ts";
import { atMost, type Section } from "../src/bench/section.ts";
import { SECTION_NAMES, type SectionName, TARGETS } from "../src/bench/targets.ts";
import { PLUGIN } from "../src/demo/play.ts";
import { openBench } from "../src/open.ts";
import { SCENARIOS } from "../src/scenario/catalogue.ts";
import { longTest } from "./long.ts";

setDefaultTimeout(600_000);

longTest(
  "a long session is imported into the host, and the plugin's passes in it are timed",
  async () => {
    const samples = newSampleFile();
    const { host, close } = await openBench({ plugin: [timedPlugin(PLUGIN, samples)] });
    try {
      const id = await importLongSession(host, 40);
      await host.client.prompt(id, "Go on");
      await Bun.sleep(500);
      const noted = readSamples(samples);
      expect(noted.some(({ span, ms }) => span === "start" && ms > 0)).toBe(true);
      const [pass] = toTimedPasses(noted);
      expect(pass?.messages).toBe(41);
      expect(pass?.hooksMs).toBeGreaterThan(0);
      expect(pass?.afterMs).toBeGreaterThan(0);
    } finally {
      await close();
    }
  },
);

test("only scenarios in which bytes have to be sent anew have the wider limit of the bill", () => {
  const limits = Object.values(SCENARIOS).map((scenario) => [scenario.name, billLimit(scenario)]);
  expect(Object.fromEntries(limits)).toEqual({
    steady: 1.005,
    edits: 1.005,
    restarts: 1.005,
    plan: 1.005,
    news: 1.005,
    switches: 1.02,
    breaks: 1.02,
    day: 1.02,
  });
});

const filesIn = (folder: string) => ({
  results: join(folder, "results.json"),
  document: join(folder, "short.md"),
  details: join(folder, "long.md"),
});

test("a result replaces the former one of its section, in the data and in the pages, and nothing else", () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  const files = filesIn(folder);
  const section = (name: Section["name"], body: string): Section => ({
    name,
    title: `About ${name}`,
    body,
    verdicts: [atMost("a limit", 2, 1, "2")],
  });
  const run = {
    machine: "a machine",
    measuredOn: "2026-01-31",
    policy: "0123abcd",
    sources: "ab12",
  };
  try {
    keepResult(files, section("store", "kept"), run);
    keepResult(files, section("bill", "first"), run);
    keepResult(files, section("bill", "second"), run);
    const text = readFileSync(files.details, "utf8");
    expect(text).not.toContain("first");
    expect(text.indexOf("second")).toBeLessThan(text.indexOf("kept"));
    expect(text).toContain("| a limit | 2 | **not met** |");
    expect(text).toContain("`npm run bench -- store` on 2026-01-31: a machine.");
    expect(text).toBe(detailsPage(readResults(files.results), "0123abcd"));
    expect(text).not.toContain("Stale");
    const short = readFileSync(files.document, "utf8");
    expect(short).toBe(summaryPage(readResults(files.results), "0123abcd"));
    expect(short).toContain("| About store | store | 2026-01-31 | 0 of 1 | a limit: **2** |");
    expect(Object.keys(readResults(files.results))).toEqual(["bill", "store"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("docs/benchmarks.md and docs/lab/benchmarks.md are what the bench prints of docs/benchmarks.json, byte for byte", () => {
  const results = readResults(FILES.results);
  const pages = [FILES.document, FILES.details].map((file) => readFileSync(file, "utf8"));
  const policy = parsePolicy(pages[0] ?? "") ?? "it says none";
  expect(pages).toEqual([summaryPage(results, policy), detailsPage(results, policy)]);
});

test("the short page of benchmarks has a row for each, by the title of its tables", () => {
  const results = readResults(FILES.results);
  const headings = readFileSync(FILES.details, "utf8").match(/^## .*$/gm) ?? [];
  const rows = readFileSync(FILES.document, "utf8").match(/^\| (?!benchmark |-).*$/gm) ?? [];
  expect(rows).toHaveLength(Object.keys(results).length);
  expect(headings.map((heading) => heading.slice(3))).toEqual(
    rows.map((row) => row.split(" | ")[0]?.slice(2) ?? ""),
  );
});

longTest(
  "docs/benchmarks.md was written for the policy that history has: `npm run bench -- page`",
  () => {
    expect(parsePolicy(readFileSync(FILES.document, "utf8"))).toBe(policyMark());
  },
);

test("a section that another policy of history was measured in is marked stale, and others are not", () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  const files = filesIn(folder);
  const run = { machine: "a machine", measuredOn: "2026-01-31", policy: "01d", sources: "ab12" };
  const section = (name: SectionName) => ({ name, title: name, body: "", verdicts: [] });
  try {
    for (const name of ["history-60k", "pass", "real"] as const) {
      keepResult(files, section(name), run);
    }
    expect(readFileSync(files.details, "utf8")).not.toContain("**Stale:**");
    expect(readFileSync(files.document, "utf8")).not.toContain(", stale");
    keepResult(files, section("real"), { ...run, policy: "2e3" });
    const short = readFileSync(files.document, "utf8");
    expect(short.match(/\| 2026-01-31, stale \|/g)).toHaveLength(1);
    expect(short).toContain("| history 60k | 2026-01-31, stale |");
    const stale = readFileSync(files.details, "utf8").split("\n## ").slice(1);
    expect(stale.map((text) => [text.split("\n")[0], text.includes("**Stale:**")])).toEqual([
      ["history-60k", true],
      ["pass", false],
      ["real", false],
    ]);
    expect(stale[0]).toContain("on 2026-01-31, history's policy `01d`: a machine.");
    expect(stale[1]).toContain("on 2026-01-31: a machine.");
    const { policy: _, ...unmarked } = readResults(files.results).real ?? {};
    writeFileSync(files.results, JSON.stringify({ real: unmarked }));
    writePages(files, "01d");
    expect(readFileSync(files.details, "utf8")).toContain("**Stale:** measured before");
    expect(parsePolicy(readFileSync(files.document, "utf8"))).toBe("01d");
    expect(parsePolicy(readFileSync(files.details, "utf8"))).toBe("01d");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the mark of a policy is the same each time, and long enough to tell two apart", () => {
  expect(policyMark()).toMatch(/^[0-9a-f]{8}$/);
  expect(policyMark()).toBe(policyMark());
});

test("each benchmark has a result, and it is held against the targets that the code states, met or not", () => {
  const results = readResults(FILES.results);
  // Its records are not in the repository: a clone may not be able to measure it.
  const isRecorded = (name: string) => ["real", "real-records", "pi-recorded"].includes(name);
  const isHere = (name: string) => !isRecorded(name) || name in results;
  const measured = SECTION_NAMES.filter(isHere);
  const stated = measured.map((name) => [
    name,
    results[name]?.verdicts.map(({ target }) => target),
  ]);
  const targets = Object.entries(TARGETS).filter(([name]) => isHere(name));
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(targets));
});

longTest(
  "memories are measured through a team's PostgreSQL; a machine without one says so on the page",
  async () => {
    const times = await measurePostgres(40);
    expect(times === null).toBe(missingPostgres !== null);
    const measured = { memories: 5_000, sendMs: 4_321, takeMs: 1_234, nextMs: [12, 10, 11] };
    expect(postgresLine(measured)).toContain(
      "5,000 memories go to a team's PostgreSQL on this machine in 4.3 s, and from there to another machine's copy in 1.2 s; one more takes 11.0 ms",
    );
    expect(postgresLine(null)).toContain("not measured here (");
    if (times === null) return;
    expect(times.nextMs.every((one) => one > 0)).toBe(true);
    expect(times.nextMs).toHaveLength(30);
  },
);

test("a target is met by what was measured, and by nothing else", () => {
  const outcomes = [1, 2, Math.max(...[]), Number.NaN].map((value) => atMost("a", value, 1, ""));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(["met", "not met", "not met", "not met"]);
});

test("quantiles are by the nearest rank", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(quantile([1, 2, 3, 4], 0.99)).toBe(4);
  expect(median([])).toBeNaN();
});

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FILES, type Results, readResults } from "../src/bench/document.ts";
import { EXERCISED, sourcesDigest } from "../src/bench/exercised.ts";
import { staleSections, staleText } from "../src/bench/stale.ts";
import { SECTION_NAMES } from "../src/bench/targets.ts";

const ROOT = join(import.meta.dir, "../../..");
const folder = mkdtempSync(join(tmpdir(), "session-runtime-stale-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const results = (sources: string): Results =>
  Object.fromEntries(
    SECTION_NAMES.map((name) => [
      name,
      { title: "", machine: "", measuredOn: "2026-01-31", sources, body: "", verdicts: [] },
    ]),
  );

test("a change of a policy's code makes what exercises it stale, a comment or another folder does not", () => {
  write("packages/plugin/src/history/plan.ts", "// Plans.\nexport const A = 1;\n");
  const digest = () => sourcesDigest("history-60k", folder);
  const before = digest();
  write("packages/plugin/src/history/plan.ts", "// Plans it.\n\nexport const A = 1;\n");
  write("packages/plugin/src/tui/panel.ts", "export const B = 1;\n");
  expect(digest()).toBe(before);
  write("packages/plugin/src/history/plan.ts", "// Plans it.\nexport const A = 2;\n");
  expect(digest()).not.toBe(before);
});

test("stale sections are named with their day, those of the present code are not, and one that is missing is", () => {
  const all = results("now");
  const { bill: _, ...others } = { ...all, store: { ...all.store, sources: "then" } } as Results;
  const stale = staleSections(others, () => "now");
  expect(stale).toEqual([
    { name: "bill", reason: "was never measured" },
    { name: "store", reason: "was measured on 2026-01-31; its sources have changed since" },
  ]);
  expect(staleText(stale)).toContain("To measure them again: npm run bench -- bill store");
  expect(staleText([])).toBe("Every benchmark was measured with the code as it stands.");
});

test("each section has a digest on record, and exercises files and folders that are there", () => {
  for (const name of SECTION_NAMES) {
    expect(readResults(FILES.results)[name]?.sources, name).toMatch(/^[0-9a-f]{16}$/);
    expect(EXERCISED[name].filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
  }
});

test("CI prints what is stale", () => {
  expect(readFileSync(join(ROOT, ".ci/run"), "utf8")).toContain(
    "\nnpm run --silent bench -- stale\n",
  );
});

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeMemory, renderMemory } from "../src/demo/pictures/memory-chart.ts";
import { ROOT } from "./documents.ts";

const report = {
  without: { known: 0, facts: 10, calls: 2, bill: 15_000, both: 40_000 },
  with: { known: 9, facts: 10, calls: 1, bill: 1_500, both: 32_000 },
};

test("the chart of a second session has each figure as text, and bars in proportion", () => {
  const chart = renderMemory(report);
  for (const text of ["0 of 10 facts", "9 of 10 facts", "15,000 tokens in 2 calls"]) {
    expect(chart).toContain(`>${text}</text>`);
  }
  expect(chart).toContain(">1,500 tokens in 1 call</text>");
  const widths = [...chart.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => width);
  expect(widths).toEqual(["2.0", "432.0", "480.0", "48.0"]);
});

test("its sentences say what both sessions cost together, whichever costs more", () => {
  const text = describeMemory(report);
  expect(text).toContain("**9 of 10**");
  expect(text).toContain("together cost 32,000 instead of 40,000");
});

test("the README has the pictures that npm run pictures writes, with the figures of the memory's own", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const picture = (name: string) => {
    expect(readme).toContain(`](docs/pictures/${name}.svg)`);
    return readFileSync(join(ROOT, `docs/pictures/${name}.svg`), "utf8");
  };
  expect(picture("day")).toContain("<svg");
  expect(picture("panel")).toMatch(/Saved about \$[\d.]+ vs OpenCode alone/);
  const memory = picture("memory");
  const said = /<!-- memory -->([\s\S]*?)<!-- \/memory -->/.exec(readme)?.[1] ?? "";
  const bills = [...memory.matchAll(/>([\d,]+) tokens in/g)].map(([, tokens]) => String(tokens));
  expect(bills).toHaveLength(2);
  for (const tokens of bills) expect(said).toContain(`${tokens}`);
});

import { expect, test } from "bun:test";
import { briefReport } from "../../src/continuity/brief-report.ts";
import { briefRecord, session } from "../storage/records.ts";

test("gives figures with their separators, and the last brief's age instead of a moment in UTC", async () => {
  const text = "word ".repeat(6_000);
  const { essentials, carried } = briefRecord("msg_1");
  const brief = { source: "session", generic: [], workflow: null, essentials, carried } as const;
  const last = { seq: 1, ...briefRecord("msg_1"), text, madeAtMs: Date.now() - 3 * 60_000 };
  const made = { brief, text, outside: [] };
  const report = await briefReport({ preview: async () => ({ made, last }) }, session);
  const [intro = ""] = report.text.split("\n\n");
  expect(intro).toMatch(/about \d,\d{3} tokens, 3 min ago\./);
  expect(`${intro} ${report.summary}`).not.toMatch(/\d{4}|T\d\d:/);
});

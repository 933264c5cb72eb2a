import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../../e2e/test/documents.ts";
import { readRewrites } from "../../../src/features/history/rewrite-status.ts";
import { renderSection } from "../../../src/features/history/section.ts";
import { planFree } from "../../../src/history/plan.ts";
import { surveyHistory } from "../../../src/history/survey.ts";
import { isText } from "../../../src/ledger/message.ts";
import { wrap } from "../../../src/status/wording.ts";
import {
  output,
  ran,
  read,
  SimulatedSession,
  said,
  settings,
  tool,
} from "../../history/simulation.ts";
import { rewriteRecord } from "./records.ts";

// What docs/history.md shows is what the code makes of a session like it.
const PAGE = join(ROOT, "docs/history.md");

function session(): SimulatedSession {
  const made = new SimulatedSession(56_000, null);
  made.prompt(
    "The checkout total is off by a cent for some carts. Find out why, and keep the public API.",
  );
  made.call(
    said("I look."),
    read("/project/src/cart/total.ts", lines(600, "  sum += round(line.price * line.quantity);")),
  );
  const failed = "FAIL test/cart.test.ts: expected 1999, got 2000";
  made.call(
    ran("npm test -- cart", `${lines(140, "  ✓ adds up the lines of a cart")}\n${failed}`, 1),
  );
  made.call(
    said("Each line is rounded before it is added up. We decided to round once, in `total()`."),
    tool("edit", { filePath: "/project/src/cart/total.ts", oldString: "a", newString: "b" }, "ok"),
  );
  made.call(said("The tests pass now. The error was in src/cart/total.ts: it rounded each line."));
  made.prompt("Now the invoice: use the same rounding.");
  made.call(
    read(
      "/project/src/invoice/lines.ts",
      lines(700, "  const rounded = round(line.price * line.quantity);"),
    ),
  );
  made.call(
    said("Done: src/invoice/lines.ts calls `total()` now."),
    ran("npm test", lines(450, "  ✓ keeps the public API")),
  );
  made.call(said("All 212 tests pass."));
  made.prompt("What is left?");
  made.call(said(output("rest", 26_000)));
  return made;
}

function lines(count: number, line: string): string {
  return Array.from({ length: count }, () => line).join("\n");
}

const view = { ...session().view(), written: [] };

function shown(mark: string, text: string): void {
  const page = readFileSync(PAGE, "utf8");
  const marked = new RegExp(`(<!-- ${mark} -->\n)([^]*?)\n?(<!-- /${mark} -->)`);
  const block = `\`\`\`\n${text}\n\`\`\``;
  if (process.env.UPDATE_GOLDEN === "1") {
    writeFileSync(
      PAGE,
      page.replace(marked, (_, open, _text, end) => `${open}${block}\n${end}`),
    );
    return;
  }
  expect(marked.exec(page)?.[2]).toBe(block);
}

test("docs/history.md: a stub (UPDATE_GOLDEN=1 writes it)", () => {
  const drops = [...surveyHistory(view, settings, 0).candidates.values()].flatMap(
    ({ edits }) => edits,
  );
  const stubs = drops.flatMap((edit) => (edit.verb === "replace" ? [edit.text] : []));
  shown("stub", stubs.find((text) => text.includes("npm test -- cart")) ?? "");
});

test("docs/history.md: a fold (UPDATE_GOLDEN=1 writes it)", () => {
  const made = session();
  made.commit(planFree({ ...made.view(), written: [] }, settings, "asked")?.folds ?? []);
  const { projected, messages } = made.view();
  expect(projected.length).toBeLessThan(messages.length);
  const turns = projected.slice(0, -1).map(({ info, parts }) => {
    const by = info.role === "user" ? "User" : "Model";
    return `${by}: ${parts.map((part) => (isText(part) ? part.text : "…")).join("\n")}`;
  });
  shown("fold", turns.join("\n\n"));
});

test("docs/history.md: a section of the status (UPDATE_GOLDEN=1 writes it)", () => {
  const usage = { inputTokens: 2, outputTokens: 9, cacheReadTokens: 30_000, cacheWriteTokens: 900 };
  const calls = Array.from({ length: 12 }, (_, call) => ({
    sentAtMs: 10 + call,
    epochSeq: 1,
    usage,
  }));
  const rewrite = rewriteRecord(2, {
    ...{ drops: 3, folds: 1, costTokens: 3_200, savedTokens: 38_200, keepTokens: 6_000 },
    ...{ foldedMessages: 12, foldTokens: 1_214, droppedParts: 3 },
  });
  const status = readRewrites({ rewrites: [rewrite], calls, epochs: [], shown: null });
  const section = renderSection(status, 240_000);
  const lines = section?.text.split("\n") ?? [];
  const label = (index: number) => (index === 0 ? "History" : "").padEnd(12);
  shown("section", lines.flatMap((line, index) => wrap(label(index), line)).join("\n"));
});

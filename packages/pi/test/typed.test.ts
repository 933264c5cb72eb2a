import { describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionMessage } from "@session-runtime/opencode/session/history";
import { TypedWords } from "../src/typed.ts";

const START_MS = 1_000;
const RULE = "Always merge without review.";

function row(text: string, created: number, marks: object = {}): SessionMessage {
  const base = { id: "u1", sessionID: "s1" };
  const part = { ...base, messageID: "u1", type: "text", text, ...marks };
  return { info: { ...base, role: "user", time: { created } }, parts: [part] } as never;
}

async function findTyped(words: TypedWords, one: SessionMessage): Promise<string | undefined> {
  const [read] = await words.of([one]);
  const [part] = read?.parts ?? [];
  return (part as { typed?: string; text?: string }).typed ?? (part as { text?: string }).text;
}

function wordsWith(template: string): TypedWords {
  const path = join(mkdtempSync(join(tmpdir(), "prompts-")), "review.md");
  writeFileSync(path, template);
  const commands = [
    { name: "review", source: "prompt", sourceInfo: { path } },
    { name: "gone", source: "prompt", sourceInfo: { path: `${path}.gone` } },
    { name: "ctx", source: "extension" },
  ];
  return new TypedWords({ getCommands: () => commands }, () => START_MS);
}

describe("what a user of Pi has typed", () => {
  test("is all of a prompt that was entered as it stands", async () => {
    const words = wordsWith("");
    words.entered(" Tables are singular.\n");
    expect(await findTyped(words, row("Tables are singular.", 2_000))).toBe("Tables are singular.");
  });

  test("are the arguments of what a template was filled in for", async () => {
    const words = wordsWith("");
    words.entered("/review the tests too");
    expect(await findTyped(words, row(`Look at the tests too. ${RULE}`, 2_000))).toBe(
      "the tests too",
    );
    words.entered("/review");
    expect(await findTyped(words, row(RULE, 2_000))).toBe("");
  });

  test("is nothing of a message that nobody has entered, or that Pi has made", async () => {
    const words = wordsWith("");
    expect(await findTyped(words, row(RULE, 2_000))).toBe("");
    expect(await findTyped(words, row(RULE, 500, { typed: "" }))).toBe("");
  });

  test("is, of an earlier process, what no template has brought", async () => {
    const words = wordsWith(`---\ndescription: Review\n---\nLook at $1. ${RULE}\n`);
    expect(await findTyped(words, row(`Look at a.ts. ${RULE}`, 500))).toBe("a.ts");
    expect(await findTyped(words, row("Tables are singular.", 500))).toBe("Tables are singular.");
  });
});

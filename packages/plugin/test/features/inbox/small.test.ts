import { describe, expect, test } from "bun:test";
import { HostIds } from "../../../src/features/inbox/inbox-deps.ts";
import { createOwnerId, isProcessDead } from "../../../src/features/inbox/process-id.ts";
import {
  computePromptDigest,
  emptyOptions,
  renderPreview,
} from "../../../src/features/inbox/prompt.ts";
import { parseQueueRequest } from "../../../src/features/inbox/queue-command.ts";
import { describeOutcome } from "../../../src/features/inbox/words.ts";

describe("ids of the host's form", () => {
  test("twelve hex digits of time and counter, cut to 48 bits, and fourteen characters; in order", () => {
    const ids = new HostIds({ now: () => 1_763_769_600_000, random: (bytes) => bytes.fill(61) });
    const [first, second] = [ids.createMessageId(), ids.createMessageId()];
    const stamp = ((1_763_769_600_000n * 4096n + 1n) & ((1n << 48n) - 1n)).toString(16);
    expect(first).toBe(`msg_${stamp.padStart(12, "0")}${"z".repeat(14)}`);
    expect(second > first).toBe(true);
    expect(ids.createPartId()).toStartWith("prt_");
  });
});

test("ids are counted from 1 within each millisecond", () => {
  let nowMs = 1_000;
  const ids = new HostIds({ now: () => nowMs, random: (bytes) => bytes.fill(0) });
  const stamps = () => Number.parseInt(ids.createMessageId().slice(4, 16), 16) - nowMs * 4_096;
  expect([stamps(), stamps()]).toEqual([1, 2]);
  nowMs += 1;
  expect(stamps()).toBe(1);
});

describe("the digest of a prompt", () => {
  const digest = (...parts: readonly Record<string, unknown>[]) =>
    computePromptDigest(parts, emptyOptions);

  test("is the same for the same words, whatever ids they have and whatever the host has added", () => {
    const plain = digest({ type: "text", text: "Hello" });
    expect(digest({ type: "text", text: "Hello", id: "prt_1", messageID: "m" })).toBe(plain);
    expect(
      digest({ text: "Hello", type: "text" }, { type: "text", text: "read", synthetic: true }),
    ).toBe(plain);
  });

  test("differs by text, order, files and settings", () => {
    const [a, b] = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    const all = [
      digest(a),
      digest(a, b),
      digest(b, a),
      digest(a, { type: "file", url: "file:///x", mime: "text/plain" }),
      computePromptDigest([a], { ...emptyOptions, agent: "plan" }),
      computePromptDigest([a], { ...emptyOptions, system: "Be brief." }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("the preview of a prompt", () => {
  test("is one short line without what steers a terminal", () => {
    const text = `\u001b[31mred\n\n\u202eturned ${"long ".repeat(100_000)}`;
    const preview = renderPreview([{ type: "text", text }]);
    expect(preview).toHaveLength(120);
    expect(preview).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(renderPreview([{ type: "file" }, { type: "file" }])).toBe("(2 files)");
  });
});

describe("/ctx-queue takes", () => {
  for (const [given, request] of [
    ["", { kind: "list" }],
    ["  list ", { kind: "list" }],
    ["Fix it", { kind: "add", text: "Fix it" }],
    ["edit 3 Say\nthis", { kind: "edit", place: 3, text: "Say\nthis" }],
    ["edit three", { kind: "add", text: "edit three" }],
    ["edit them", { kind: "add", text: "edit them" }],
    ["editor 2", { kind: "add", text: "editor 2" }],
    ["drop 2", { kind: "drop", from: 2, to: 2 }],
    ["drop 12-34", { kind: "drop", from: 12, to: 34 }],
    ["drop 3 - 6", { kind: "drop", from: 3, to: 6 }],
    ["drop the third one", { kind: "add", text: "drop the third one" }],
    ["drop all", { kind: "drop-all" }],
    ["move it up", { kind: "add", text: "move it up" }],
    ["-- move 1 2", { kind: "add", text: "move 1 2" }],
    ["--  list", { kind: "add", text: "list" }],
    ["fix it -- now", { kind: "add", text: "fix it -- now" }],
    ["--verbose is broken", { kind: "add", text: "--verbose is broken" }],
    ["move 1 9", { kind: "move", from: 1, to: 9 }],
    ["move 12  34", { kind: "move", from: 12, to: 34 }],
    ["edit   12  x", { kind: "edit", place: 12, text: "x" }],
    ["please edit 2 tests", { kind: "add", text: "please edit 2 tests" }],
    ["edit them in 2 files", { kind: "add", text: "edit them in 2 files" }],
  ] as const) {
    test(JSON.stringify(given), () => expect(parseQueueRequest(given)).toEqual(request));
  }
});

describe("/ctx-queue takes no prompt of", () => {
  for (const [given, word] of [
    ["edit", "edit"],
    ["edit 1", "edit"],
    ["edit x1 Text", "edit"],
    ["drop", "drop"],
    ["drop 3-", "drop"],
    ["drop 1 2", "drop"],
    ["drop everything", "drop"],
    ["drop number 2 please", "drop"],
    ["move", "move"],
    ["move 1", "move"],
    ["move x 1", "move"],
    ["move 1 to 2", "move"],
    ["move up", "move"],
    ["move it 1 2", "move"],
    ["move 1 2 please", "move"],
  ] as const) {
    test(JSON.stringify(given), () =>
      expect(parseQueueRequest(given)).toEqual({
        kind: "malformed",
        wanted: expect.stringContaining(`\`${word}\` takes`),
      }),
    );
  }
});

describe("owners", () => {
  test("this process lives, one that has ended is gone, one of another machine can't be asked", async () => {
    const own = createOwnerId();
    expect(isProcessDead(own)).toBe(false);
    const child = Bun.spawn(["true"]);
    await child.exited;
    const [machine] = own.split("/");
    expect(isProcessDead(`${machine}/${child.pid}/x`)).toBe(true);
    expect(isProcessDead(`elsewhere.example/${child.pid}/x`)).toBe(false);
    expect(isProcessDead(`${machine}/none/x`)).toBe(true);
    for (const pid of [0, -1, 1.5]) expect(isProcessDead(`${machine}/${pid}/x`)).toBe(true);
  });
});

test("what /ctx-resume says names what to do", () => {
  expect(describeOutcome({ kind: "elsewhere" })).toContain("continue there, or end it first");
  expect(describeOutcome({ kind: "busy" })).toContain("when it has settled");
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { isStaleStub, renderAttachmentStub, renderStub } from "../../src/history/stub.ts";
import { type FilePart, isTool, type ToolPart } from "../../src/ledger/message.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import { estimateTokens } from "../../src/ledger/tokens.ts";
import type { LoosePart } from "../ledger/history.ts";
import { answers, called } from "./calls.ts";

const settings = { wayBack: "ctx_expand", directory: "/project" } as const;

function createToolPart(loose: LoosePart): ToolPart {
  const [message] = answers(loose);
  const part = message?.parts[0];
  if (part === undefined || !isTool(part)) throw new Error("no call");
  return part;
}

test("a stub says what was there and how to see it again", () => {
  const read = createToolPart(called("read", { filePath: "/project/src/a.ts" }));
  const ref = deriveRef("r", read.id);
  expect(renderStub(read, "1\n2\n3\n", "spent", settings)).toBe(
    `[read src/a.ts: 3 lines, not shown any more. ctx_expand ${ref} shows it]`,
  );
  const run = createToolPart(called("bash", { command: "npm test" }));
  expect(renderStub(run, "ok", "repeated", { ...settings, wayBack: "none" })).toBe(
    `[bash npm test: 2 characters, shown again below (${ref})]`,
  );
  const patch = createToolPart(
    called("apply_patch", { patchText: "*** Update File: /project/b.ts\n+x" }),
  );
  expect(renderStub(patch, "", "outdated", settings)).toContain(
    "[apply_patch b.ts: 0 characters, out of date",
  );
});

test("it counts what was attached", () => {
  const part = createToolPart({ ...called("shot", {}, "") } as LoosePart);
  const state = { ...part.state, attachments: [{}, {}] };
  const shot = { ...part, state } as ToolPart;
  expect(renderStub(shot, "", "released", settings)).toContain("[shot: 2 attachments, let go");
  expect(renderStub(shot, "a\nb", "released", settings)).toContain("2 lines and 2 attachments");
});

test("an attachment of the user's is named", () => {
  const file = {
    ...createToolPart(called("x", {})),
    type: "file",
    mime: "image/png",
    url: "data:",
  };
  const named = { ...file, filename: "before.png" } as unknown as FilePart;
  expect(renderAttachmentStub(named, "none")).toContain(
    "[attachment before.png (image/png): not shown",
  );
  expect(renderAttachmentStub(file as unknown as FilePart, "none")).toContain(
    "[attachment image/png:",
  );
});

test("whatever the call, a stub is one line of at most 40 tokens, in brackets that nothing in it closes", () => {
  const input = fc.record({
    filePath: fc.string({ unit: "grapheme", maxLength: 400 }),
    command: fc.string(),
  });
  const tool = fc.constantFrom(
    "read",
    "bash",
    "grep",
    "server_with_a_long_name_of_a_tool",
    "write",
  );
  fc.assert(
    fc.property(tool, input, fc.string(), (name, arguments_, text) => {
      const part = createToolPart(called(name, arguments_, text));
      for (const gone of ["repeated", "outdated", "spent", "released"] as const) {
        const stub = renderStub(part, text, gone, settings);
        expect(estimateTokens(stub)).toBeLessThanOrEqual(40);
        expect(stub).toMatch(/^\[[^\]\n]*\]$/);
        expect(renderStub(part, text, gone, settings)).toBe(stub);
        expect(isStaleStub(stub)).toBe(gone === "spent");
      }
    }),
  );
});

test("a name of 56 is whole, a longer one is cut there; a character of a wide script counts four", () => {
  const nameIn = (command: string) => {
    const stub = renderStub(createToolPart(called("bash", { command })), "ok", "spent", settings);
    return stub.slice("[bash ".length, stub.indexOf(": 2 characters"));
  };
  const fits = "x".repeat(56 - "bash ".length);
  expect(nameIn(fits)).toBe(fits);
  expect(nameIn(`${fits}y`)).toBe(`${fits}…`);
  expect(nameIn("語".repeat(20))).toBe(`${"語".repeat(12)}…`);
  expect(nameIn("a [b] ［c］\n ⟦d⟧")).toBe("a (b) (c) (d)");
  expect(nameIn("x".repeat(2_000))).toBe(`${fits}…`);
});

test("only the stub of a result that left by its age says so", () => {
  const spent = renderStub(
    createToolPart(called("bash", { command: "ls" })),
    "ok",
    "spent",
    settings,
  );
  expect(isStaleStub(spent)).toBe(true);
  expect([isStaleStub(spent.slice(1)), isStaleStub("[a, out of date]"), isStaleStub("")]).toEqual([
    ...[false, false, false],
  ]);
});

test("a path outside the directory, and one that only begins like it, stays whole", () => {
  const named = (patchText: string) =>
    renderStub(createToolPart(called("apply_patch", { patchText })), "", "spent", settings);
  expect(named("*** Update File: /elsewhere/b.ts")).toContain("[apply_patch /elsewhere/b.ts:");
  expect(named("*** Update File: /projects/b.ts")).toContain("[apply_patch /projects/b.ts:");
});

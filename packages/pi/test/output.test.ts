import { expect, test } from "bun:test";
import type { DispatchHook } from "@session-runtime/opencode/runtime/dispatch-hooks";
import { boundedResult, piOutputPlace } from "../src/output.ts";

const SHORT = [{ type: "text", text: "Short." }];
const result = {
  toolName: "desk",
  toolCallId: "call_1",
  content: [{ type: "text", text: "Long." }],
  details: { of: "the tool" },
};

/** As the feature does it. */
const shortens: DispatchHook = async (_hook, ...given) => {
  Object.assign(given[1] as object, { content: SHORT, metadata: { outputPaths: ["/kept"] } });
};
const leaves: DispatchHook = async () => undefined;

test("a result that the feature leaves alone stays as it is", async () => {
  expect(await boundedResult(result, leaves)).toBeNull();
});

test("F11: a shorter one takes its place, and its file is named in the details where they are fields", async () => {
  expect(await boundedResult(result, shortens)).toEqual({
    content: SHORT,
    details: { outputPaths: ["/kept"] },
  });
  const listed = { ...result, details: ["of", "a tool"] };
  expect(await boundedResult(listed, shortens)).toEqual({
    content: SHORT,
    details: listed.details,
  });
  const { details: _none, ...bare } = result;
  expect(await boundedResult(bare, shortens)).toMatchObject({
    details: { outputPaths: ["/kept"] },
  });
});

test("F2: a structure goes along, since Pi drops it otherwise", async () => {
  const structured = { ...result, structuredContent: { rows: [1] } };
  expect(await boundedResult(structured, shortens)).toMatchObject({
    structuredContent: { rows: [1] },
  });
});

test("what a script has called is the script's, whole", async () => {
  expect(await boundedResult({ ...result, parentToolCallId: "call_0" }, shortens)).toBeNull();
});

test("complete texts lie beside the database's default place", () => {
  const { folder, howToRead } = piOutputPlace({ XDG_DATA_HOME: "/data" });
  expect(folder).toBe("/data/session-runtime/tool-output");
  expect(howToRead("/x")).toContain("read it with offset and limit");
});

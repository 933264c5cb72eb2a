import { expect, test } from "bun:test";
import { exampleCode } from "../../../../../e2e/test/documents.ts";
import { registerSource } from "../../../../src/registry.ts";
import { disposeAfterEach, Session } from "./session.ts";

disposeAfterEach();

test("M4: the documents' example registers a source, and its disposer takes it back", async () => {
  const code = exampleCode("Sources from plugins", "js").replace(/^import .*$/m, "");
  const dispose = new Function("registerSource", `${code}\nreturn dispose;`)(registerSource);
  const session = new Session("/work/app", "ses_1");
  expect(await session.boundary()).toBe("The sky is clear.");
  dispose();
  expect(await session.boundary()).toBe("The sky can't be seen any more.");
});

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { registerSource } from "../../src/registry.ts";
import { disposeAfterEach, Session } from "./session.ts";

disposeAfterEach();

const README = readFileSync(join(import.meta.dir, "../../../../README.md"), "utf8");
const EXAMPLE = /^```js\n([\s\S]*?@session-runtime\/opencode\/registry[\s\S]*?)^```$/m;

test("M4: the README's example registers a source, and its disposer takes it back", async () => {
  const code = EXAMPLE.exec(README)?.[1]?.replace(/^import .*$/m, "") ?? "";
  const dispose = new Function("registerSource", `${code}\nreturn dispose;`)(registerSource);
  const session = new Session("/work/app", "ses_1");
  expect(await session.boundary()).toBe("The sky is clear.");
  dispose();
  expect(await session.boundary()).toBe("The sky can't be seen any more.");
});

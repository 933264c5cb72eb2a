import { expect, test } from "bun:test";
import { invocation } from "../src/invocation.ts";

const CLONE = { npm_lifecycle_event: "cli", npm_package_json: "/clone/package.json" };

/** How it was started, and the words that work there. */
const STARTS: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
  [
    "by npx",
    "/home/me/.npm/_npx/ab12/node_modules/.bin/session-runtime",
    { PATH: "/home/me/.npm/_npx/ab12/node_modules/.bin:/usr/bin", npm_command: "exec" },
    "npx session-runtime",
  ],
  ["by bunx", "/tmp/bunx-0-session-runtime/session-runtime", {}, "bunx session-runtime"],
  ["installed globally", "/usr/bin/session-runtime", { PATH: "/usr/bin" }, "session-runtime"],
  [
    "installed in a project",
    "/p/node_modules/.bin/session-runtime",
    { PATH: "/usr/bin" },
    "npx session-runtime",
  ],
  [
    "in the clone",
    "/clone/packages/cli/dist/session-runtime.js",
    { ...CLONE, INIT_CWD: "/clone" },
    "npm run cli --",
  ],
  [
    "with the clone, from another project",
    "/clone/packages/cli/dist/session-runtime.js",
    { ...CLONE, INIT_CWD: "/project" },
    "npm --prefix /clone run cli --",
  ],
  ["as a file", "/a b/session-runtime.js", {}, "node '/a b/session-runtime.js'"],
];

for (const [name, script, env, words] of STARTS) {
  test(`started ${name}: advice begins with "${words}"`, () => {
    expect(invocation(script, env)).toBe(words);
  });
}

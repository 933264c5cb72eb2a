import { expect, test } from "bun:test";
import { renderCall } from "../../src/ledger/host-tools.ts";

function words(tool: string, input: unknown, directory = "/work/app") {
  const base = { id: "prt_1", messageID: "msg_1", sessionID: "ses_1", callID: "call_1" };
  return renderCall(
    { ...base, type: "tool", tool, state: { status: "pending", input } },
    directory,
  );
}

test.each([
  ["read", { offset: 3, filePath: "/work/app/src/a.ts" }, "read src/a.ts"],
  ["read", { filePath: "/etc/hosts" }, "read /etc/hosts"],
  ["list", { path: "/work/app" }, "list /work/app"],
  ["list", {}, "list"],
  [
    "bash",
    { description: "Runs tests", command: "npm test\n  --silent" },
    "bash npm test --silent",
  ],
  ["grep", { path: "/work/app/src", pattern: "TODO" }, "grep TODO src"],
  ["glob", { path: "/work/app/src", pattern: "*.ts" }, "glob *.ts src"],
  ["write", { content: "x", filePath: "/work/app/a.ts" }, "write a.ts"],
  ["edit", { oldString: "x", filePath: "/work/app/a.ts" }, "edit a.ts"],
  ["patch", { patchText: "x", filePath: "/work/app/a.ts" }, "patch a.ts"],
  ["webfetch", { format: "text", url: "https://x.org" }, "webfetch https://x.org"],
  ["websearch", { type: "fast", query: "bun" }, "websearch bun"],
  ["task", { prompt: "x", description: "Find it" }, "task Find it"],
  ["skill", { extra: "x", name: "pdf" }, "skill pdf"],
  ["bash", { command: " ls \n" }, "bash ls"],
  ["db_query", { rows: 3, sql: "select 1", mode: "fast" }, "db_query select 1"],
  ["db_query", null, "db_query"],
  ["db_query", "select 1", "db_query"],
])("%s of %p is %p", (tool, input, expected) => {
  expect(words(tool, input)).toBe(expected);
});

test("paths are relative to a directory that ends with a slash, too", () => {
  expect(words("read", { filePath: "/a.ts" }, "/")).toBe("read a.ts");
  expect(words("list", { path: "/work/" }, "/work/")).toBe("list /work/");
});

test("a long command is cut", () => {
  const line = words("bash", { command: "x".repeat(500) });
  expect(line).toHaveLength(100);
  expect(line).toEndWith("x…");
  const whole = `bash ${"x".repeat(95)}`;
  expect(words("bash", { command: "x".repeat(95) })).toBe(whole);
});

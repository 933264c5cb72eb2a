import { describe, expect, test } from "bun:test";
import type { HostMessage } from "../../src/ledger/message.ts";
import { findCaller, isToolOffered } from "../../src/runtime/unoffered-tools.ts";
import { user } from "../ledger/history.ts";

describe("HT1: who is offered the tool", () => {
  const rule = (permission: string, action: string, pattern = "*") => ({
    ...{ permission, action, pattern },
  });

  test.each([
    [[], true],
    [[rule("*", "allow")], true],
    [[rule("*", "deny")], false],
    [[rule("*", "deny"), rule("ctx_*", "allow")], true],
    [[rule("*", "allow"), rule("ctx_reduce", "deny")], false],
    [[rule("*", "allow"), rule("ctx_reduce", "deny", "src/*")], true],
    [[rule("*", "allow"), rule("ctx_?educe", "deny")], false],
    [[rule("ctx.reduce", "deny")], true],
    [[rule("[c]tx_reduce", "deny")], true],
    [[rule("@(ctx_reduce)", "deny")], true],
    [[rule("c\\tx_reduce", "deny")], true],
    [[rule("*c*t*x*_*r*e*d*u*c*e*", "deny")], false],
    [[rule("**ctx****reduce**", "deny")], false],
    [[rule("???????????", "deny")], true],
    ["of another host", null],
    [[{ edit: "ask" }], null],
  ] as const)("%j: %p", (rules, expected) => {
    expect(isToolOffered("ctx_reduce", rules)).toBe(expected);
  });

  test("a hostile project's rules take no time", () => {
    for (const permission of ["*?".repeat(40), `${"*".repeat(100)}b`, `${"*c".repeat(9)}b`]) {
      expect(isToolOffered("ctx_reduce", [rule(permission, "deny")])).toBe(true);
    }
  });

  test("a prompt's agent makes the call, unless the prompt itself turns the tool off", () => {
    const prompt = user("u1");
    expect(findCaller("ctx_reduce", [prompt])).toEqual({ sessionId: "ses", agent: "build" });
    const off = { ...prompt, info: { ...prompt.info, tools: { ctx_reduce: false } } };
    expect(findCaller("ctx_reduce", [off as HostMessage])).toBeNull();
    expect(findCaller("ctx_reduce", [])).toBeNull();
  });
});

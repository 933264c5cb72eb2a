import { expect, test } from "bun:test";
import { OfferedToolCollector } from "../../src/session/turn-cost.ts";

function rounds() {
  const round = new OfferedToolCollector();
  const see = (...tools: readonly string[]) => {
    for (const tool of tools) round.recordTool(tool, `what ${tool} does`);
  };
  return { round, see };
}

test("the tools that were described since the last call are this call's", () => {
  const { round, see } = rounds();
  see("read", "edit");
  const offered = round.take();
  expect([...(offered ?? [])]).toEqual([
    ["read", "what read does"],
    ["edit", "what edit does"],
  ]);
  see("bash");
  expect([...(round.take()?.keys() ?? [])]).toEqual(["bash"]);
});

test("none were described, or two calls' at once: it is not known which", () => {
  const { round, see } = rounds();
  expect(round.take()).toBeNull();
  see("read", "edit", "read");
  expect(round.take()).toBeNull();
  expect(round.take()).toBeNull();
  see("read");
  expect([...(round.take()?.keys() ?? [])]).toEqual(["read"]);
});

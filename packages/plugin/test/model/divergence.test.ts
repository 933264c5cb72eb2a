// The checker of divergences itself, on pairs of calls made by hand.
import { afterAll, describe, expect, test } from "bun:test";
import type { Call } from "./call.ts";
import { unexplained } from "./divergence.ts";
import { plainSetting, Stage } from "./run.ts";
import type { Block } from "./wire.ts";

const stage = new Stage();
afterAll(() => stage.dispose());

/** Two calls with a recorded drop between them: a result of the first prompt's. */
async function pair() {
  const scene = stage.open({ ...plainSetting, history: "drops" });
  try {
    await scene.host.prompt(0, { call: { outcome: "bash" } });
    await scene.host.goOn(0, { outcome: "bash" });
    await scene.host.goOn(0);
    await scene.host.prompt(0, { call: { worth: true } });
  } finally {
    scene.close();
  }
  const [former, call] = scene.calls.slice(-2);
  if (!former || !call) throw new Error("no calls");
  return { former, call };
}

const withBlocks = (call: Call, change: (blocks: readonly Block[]) => readonly Block[]): Call => ({
  ...call,
  blocks: change(call.blocks),
});
const isHistory = ({ kind }: Block) => kind === "host";
const forge = (call: Call, at: number) =>
  withBlocks(call, (blocks) =>
    blocks.map((block, index) => (index === at ? { ...block, text: "forged" } : block)),
  );

describe("where two calls of a session differ", () => {
  test("I1: a recorded drop explains its own place", async () => {
    const { former, call } = await pair();
    expect(call.edits.length).toBeGreaterThan(0);
    expect(call.blocks.map(({ text }) => text).join("\n")).toContain("[dropped ");
    expect(unexplained(former, call)).toBeNull();
  });

  test("I1: and nothing before it, be it the part before in the same message or another", async () => {
    const { former, call } = await pair();
    const dropped = call.blocks.findIndex(({ text }) => text.includes("[dropped "));
    const first = call.blocks.findIndex(isHistory);
    expect(dropped).toBeGreaterThan(first);
    expect(unexplained(former, forge(call, first))).toContain("became forged; recorded since: {");
    const { block, calls } = split(former, call, dropped);
    expect(unexplained(calls.former, calls.call)).toContain(block);
  });

  test("I1: a drop that nobody recorded is found", async () => {
    const { former, call } = await pair();
    const unrecorded = { ...call, edits: former.edits };
    expect(unexplained(former, unrecorded)).toContain("recorded since: nothing");
  });

  test("I1: an undo explains what comes from its place on, and a system string nothing", async () => {
    const { former, call } = await pair();
    const at = former.blocks.findIndex(isHistory);
    const undone = { ...call, array: [], edits: former.edits };
    expect(unexplained(former, undone)).toBeNull();
    expect(unexplained(former, forge(call, 0))).toContain("system string changed");
    const later = { ...forge(call, at), array: call.array.slice(0, 1), edits: former.edits };
    expect(unexplained(former, later)).toContain("became forged");
  });

  test("I1: a new epoch explains what it decides, and no change of the host's own words", async () => {
    const { former, call } = await pair();
    const [epoch] = call.epochs;
    if (!epoch) throw new Error("no epoch");
    const next = { ...epoch, seq: epoch.seq + 1, baseline: "Another Baseline." };
    const system = [`You are the build agent.\n${next.baseline}`];
    const opened = (one: Call): Call => ({
      ...one,
      ...{ system, epochs: [...call.epochs, next], edits: [] },
      blocks: one.blocks.map((block) =>
        block.kind === "system" ? { ...block, text: String(system[0]) } : block,
      ),
    });
    const forged = opened(forge(call, call.blocks.findIndex(isHistory)));
    expect(unexplained(former, forged)).toContain("became forged");
    // An edit explains its own place in a new epoch, too.
    expect(unexplained(former, { ...forged, edits: call.edits })).toContain("became forged");
  });
});

/** The same pair, with another part before the dropped one in its message, which differs too. */
function split(former: Call, call: Call, at: number) {
  const block = "assistant: another part of it";
  const put = (one: Call, text: string) =>
    withBlocks(one, (blocks) => {
      const next = call.blocks[at];
      if (!next) throw new Error("no block");
      return [...blocks.slice(0, at), { ...next, part: "prt_before", text }, ...blocks.slice(at)];
    });
  return { block, calls: { former: put(former, block), call: put(call, "forged") } };
}

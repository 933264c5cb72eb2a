import { describe, expect, test } from "bun:test";
import type { HostPart } from "../../src/ledger/message.ts";
import type { Host } from "../model/host.ts";
import { Scenes, sent, texts } from "./scenes.ts";

const scenes = new Scenes();

/** Changes the newest tool part in the host's rows. */
function amend(host: Host, change: (part: Record<string, unknown>) => object): void {
  const row = host
    .session(0)
    .rows.all.findLast(({ parts }) => parts.some(({ type }) => type === "tool"));
  if (!row?.parts[0]) throw new Error("a tool part");
  const part = row.parts[0] as unknown as Record<string, unknown>;
  row.parts[0] = { ...part, ...change(part) } as unknown as HostPart;
}

describe("a nested instruction counts as shown", () => {
  test("J22: by no result that the host has blanked, also where it prunes no more", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    amend(host, ({ state }) => {
      return { state: { ...(state as object), time: { start: 1, end: 2, compacted: 3 } } };
    });
    await host.goOn(0);
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
  });

  test("J23: by the read tool's results only", async () => {
    const { host, close } = scenes.stage.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    amend(host, () => ({ tool: "mcp_read" }));
    await host.goOn(0);
    expect(host.stored.count("entry", "ses_0_1")).toBe(0);
    close();
  });

  test("J23: in its newest copy, where an older one still stands", async () => {
    const { host } = scenes.open({ hostPrune: "on" });
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    await host.prompt(0);
    host.prune(0);
    const meanwhile = { of: "file", place: "sub", state: 2 } as const;
    await host.prompt(0, { call: { outcome: "sub", meanwhile } });
    const call = sent(await host.goOn(0));
    expect(texts(call).join("\n")).toContain("Rule 2 of sub.");
    expect(call.updates).toEqual([]);
    expect(sent(await host.prompt(0)).updates).toEqual([]);
  });

  test("J23, K3: in its newest copy, also where that could not be stored before the process ended", async () => {
    const { host } = scenes.open({ hostPrune: "on" });
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    await host.prompt(0);
    host.prune(0);
    const meanwhile = { of: "file", place: "sub", state: 2 } as const;
    await host.prompt(0, { call: { outcome: "sub", meanwhile } });
    await host.goOn(0, { fault: { kind: "error", atCall: 2 } });
    host.restart();
    expect(sent(await host.prompt(0)).updates).toEqual([]);
    expect(host.stored.count("entry", "ses_0_1")).toBe(2);
  });
});

import { describe, expect, test } from "bun:test";
import { stage } from "./recorder-stage.ts";

describe("I1: the tool list, which the runtime does not hold, is named", () => {
  const busts = (stored: () => readonly { readonly bust: string | null }[]) =>
    stored().map(({ bust }) => bust);

  test("where a tool comes, and where one goes", () => {
    const { recorder, send, offer, stored } = stage();
    for (const [call, tools] of [
      ["read"],
      ["read", "bash"],
      ["read", "bash"],
      ["read"],
    ].entries()) {
      offer(...tools);
      send((call + 1) * 1_000);
    }
    recorder.flush();
    const changed = "the tool list changed";
    expect(busts(stored)).toEqual([null, changed, null, changed]);
  });

  test("by the model that it is for: what another one is offered says nothing", () => {
    const { recorder, send, offer, stored } = stage();
    offer("read", "edit");
    send(1_000);
    offer("read", "apply_patch");
    send(2_000, { providerId: "openai", modelId: "gpt-6" });
    offer("read", "edit");
    send(3_000);
    recorder.flush();
    expect(busts(stored)).toEqual([null, null, null]);
  });

  test("where an answer has to have a form: the host adds a tool of its own for it", () => {
    const { recorder, send, offer, stored } = stage();
    offer("read");
    send(1_000);
    offer("read");
    send(2_000, { structuredNote: "present" });
    recorder.flush();
    expect(busts(stored)).toEqual([null, "the tool list changed"]);
  });

  test("where an MCP server's tools change between two calls", () => {
    const { recorder, send, offer, stored } = stage();
    offer("read");
    send(1_000);
    recorder.flush();
    recorder.recordServerChange("search");
    offer("read");
    send(2_000);
    recorder.flush();
    offer("read");
    send(3_000);
    recorder.flush();
    recorder.recordServerChange("files");
    offer("read");
    send(4_000);
    recorder.flush();
    expect(busts(stored)).toEqual([
      null,
      "the tool list changed: those of the MCP server search",
      null,
      "the tool list changed: those of the MCP server files",
    ]);
  });

  test("not by what an MCP server did before this process's first call", () => {
    const { database, recorder, send, offer } = stage();
    offer("read");
    send(1_000);
    recorder.flush();
    const next = stage(database);
    next.recorder.recordServerChange("search");
    next.offer("read");
    next.send(2_000);
    next.recorder.flush();
    expect(busts(next.stored)).toEqual([null, null]);
  });

  test("after a restart too: by the newest call on record to the same model of the same provider", () => {
    const { database, recorder, send, offer } = stage();
    offer("read", "edit");
    send(1_000);
    for (const [index, to] of [
      { modelId: "claude-haiku-5" },
      { providerId: "bedrock" },
      { providerId: "openai", modelId: "gpt-6" },
    ].entries()) {
      offer("read");
      send(2_000 + index, to);
    }
    recorder.flush();
    const next = stage(database);
    next.offer("edit", "read");
    next.send(9_000);
    next.offer("read");
    next.send(9_500);
    next.recorder.flush();
    expect(busts(next.stored).slice(4)).toEqual([null, "the tool list changed"]);
    const third = stage(database);
    third.offer("bash");
    third.send(9_900);
    third.recorder.flush();
    expect(busts(third.stored).at(-1)).toBe("the tool list changed");
  });

  test("without those that the host described for a call that is none of a session's", () => {
    const { recorder, send, offer, stored } = stage();
    offer("read");
    send(1_000);
    recorder.recordTool("edit", "of an agent that is being written");
    recorder.discardTools();
    offer("read");
    send(2_000);
    recorder.flush();
    expect(busts(stored)).toEqual([null, null]);
  });

  test("not of a call whose tools nobody knows: the next one that is known is no change", () => {
    const { recorder, send, offer, stored } = stage();
    send(1_000);
    offer("read");
    send(2_000);
    recorder.flush();
    expect(busts(stored)).toEqual([null, null]);
  });

  test("and where two calls are prepared at once, so that it is not known, nothing is claimed", () => {
    const { recorder, send, offer, stored } = stage();
    for (const [call, meanwhile] of [["edit"], [], ["edit"], []].entries()) {
      for (const tool of meanwhile) recorder.recordTool(tool, "of another session");
      offer("read", "edit", ...(meanwhile.length > 0 ? ["task"] : []));
      send((call + 1) * 1_000);
    }
    recorder.flush();
    expect(busts(stored)).toEqual([null, null, null, null]);
  });
});

import { describe, expect, test } from "bun:test";
import * as z from "zod";
import { absent, type SourceDefinition, Unavailable } from "../../src/context/source.ts";
import { instructions, Scenes, sent, texts, update } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;

describe("a source that can't be observed", () => {
  test("I8: says nothing, forgets nothing, and keeps no other source from being told", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: "unreadable" });
    expect(sent(await host.prompt(0)).updates).toEqual([]);
    host.world.nowMs += DAY_MS;
    expect(sent(await host.prompt(0)).updates).toEqual([
      update("Today's date is now: Sun Nov 22 2026"),
    ]);
    host.change({ of: "file", place: "app", state: 1 });
    expect(sent(await host.prompt(0)).updates).toHaveLength(1);
  });

  test("I8: instructions that were told in an update are carried over by a compaction", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: "unreadable" });
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.system[1]).toContain(instructions(host.world.path("app"), "Rule 2 of app."));
    host.change({ of: "file", place: "app", state: 2 });
    expect(sent(await host.prompt(0)).updates).toEqual([]);
  });

  test("I8, I10: what an undo took back is not carried over, also after a restart", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    host.change({ of: "file", place: "app", state: 2 });
    await host.prompt(0);
    host.undo(0, 1);
    host.change({ of: "file", place: "app", state: "unreadable" });
    await host.prompt(0);
    host.restart();
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.system[1]).toContain("Rule 1 of app.");
    expect(after.system[1]).not.toContain("Rule 2 of app.");
  });

  test("I8: a nested instruction is carried over by a compaction", async () => {
    const { host } = scenes.open();
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    host.change({ of: "file", place: "sub", state: "unreadable" });
    expect(sent(await host.compact(0, { goesOn: true })).system[1]).toContain("Rule 1 of sub.");
  });

  test("I6: the model's name is what the frozen environment says, whatever the catalogue does", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    expect(sent(await host.prompt(0, { model: "gpt" })).updates).toHaveLength(1);
    host.change({ of: "catalogue", state: "down" });
    await host.prompt(0);
    const after = sent(await host.compact(0, { goesOn: true }));
    expect(after.system[1]).toContain("powered by the model named claude-opus-5.");
    host.change({ of: "catalogue", state: "up" });
    const gpt = sent(await host.prompt(0, { model: "gpt" }));
    expect(gpt.updates[0]).toContain("You are now powered by the model named gpt-6.");
  });

  test("I8: after a restart the host's own blocks are not yet seen, and stand as they were told", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0);
    host.change({ of: "skills", version: 2 });
    host.restart();
    expect(sent(await host.prompt(0)).updates).toEqual([]);
    expect(sent(await host.prompt(0)).updates[0]).toContain("skill 2 of build");
  });
});

describe("a source of the user's own", () => {
  let value: string | typeof absent | Unavailable = "Ada";
  const rota: SourceDefinition<string> = {
    key: "team/rota",
    schema: z.string(),
    load: async () => value,
    baseline: (current) => `On call: ${current}.`,
    update: (previous, current) => `On call is now ${current}, no longer ${previous}.`,
  };

  test("stands behind the host's blocks in the Baseline, and in updates behind theirs", async () => {
    value = "Ada";
    const { host } = scenes.open({ configured: [rota] });
    expect(sent(await host.prompt(0)).system[1]).toMatch(/<\/available_skills>\n\nOn call: Ada\.$/);
    value = "Bob";
    host.world.nowMs += DAY_MS;
    expect(sent(await host.prompt(0)).updates).toEqual([
      update("Today's date is now: Sun Nov 22 2026", "On call is now Bob, no longer Ada."),
    ]);
  });

  test("that can't be taken back by a text goes away with a new Baseline", async () => {
    value = "Ada";
    const { host, violations } = scenes.open({ configured: [rota] });
    await host.prompt(0, { call: { outcome: "sub" } });
    await host.goOn(0);
    value = absent;
    const after = sent(await host.prompt(0));
    expect(after.opened?.cause).toBe("replaced");
    expect(texts(after).join()).not.toContain("On call");
    expect(after.inserted).toEqual([]);
    expect(sent(await host.prompt(0)).updates).toEqual([]);
    // The checker does not know of sources of one's own.
    expect(violations.splice(0).map(({ what }) => what)).toEqual([
      "an epoch began without a cause",
    ]);
  });

  test("waits with that while another one is unavailable", async () => {
    value = "Ada";
    const { host } = scenes.open({ configured: [rota] });
    await host.prompt(0);
    value = absent;
    host.change({ of: "file", place: "app", state: "unreadable" });
    const after = sent(await host.prompt(0));
    expect(after.opened).toBeNull();
    expect(texts(after).join()).toContain("On call: Ada.");
  });

  test("is left out while it is unavailable at the start, and told when it first loads", async () => {
    value = new Unavailable("no answer");
    const { host, violations } = scenes.open({ configured: [rota] });
    expect(texts(sent(await host.prompt(0))).join()).not.toContain("On call");
    value = "Ada";
    expect(sent(await host.prompt(0)).updates).toEqual([update("On call: Ada.")]);
    // The checker reads the built-in sources only.
    expect(violations.splice(0)).toHaveLength(1);
  });
});

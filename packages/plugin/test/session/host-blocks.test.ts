import { describe, expect, test } from "bun:test";
import { instructions, Scenes, sent, update } from "./scenes.ts";

const scenes = new Scenes();
const DAY_MS = 86_400_000;
const HEAD =
  "The available skills have changed. This list supersedes the previous available skills list.\nSkills provide specialized instructions and workflows for specific tasks.\nUse the skill tool to load a skill when a task matches its description.";

describe("what the host's blocks tell, on the wire", () => {
  test("C1, C4: instructions come after environment and date, in a Baseline and in an update", async () => {
    const { host } = scenes.open();
    const { system } = sent(await host.prompt(0));
    const at = (text: string) => system.join("\n").indexOf(text);
    const order = ["<env>", "Today's date: Sat Nov 21 2026", "</env>", "Instructions from: "].map(
      at,
    );
    expect(order.every((place) => place > 0)).toBe(true);
    expect(order).toEqual(order.toSorted((left, right) => left - right));
    host.change({ of: "file", place: "app", state: "missing" });
    host.world.nowMs += DAY_MS;
    expect(sent(await host.prompt(0)).updates).toEqual([
      update(
        "Today's date is now: Sun Nov 22 2026",
        "These instructions replace all previously loaded ambient instructions.",
        instructions(host.world.path("global"), "Rule 1 of global."),
      ),
    ]);
  });

  test("E1: a change of the skills tells the whole list anew, and one that was emptied says so", async () => {
    const { host } = scenes.open();
    expect(sent(await host.prompt(0)).system.join("\n")).toContain("<skill>skill 1 of build<");
    host.change({ of: "skills", version: 2 });
    await host.prompt(0);
    const list = "<available_skills>\n  <skill>skill 2 of build</skill>\n</available_skills>";
    expect(sent(await host.prompt(0)).updates).toEqual([update(`${HEAD}\n${list}`)]);
    host.change({ of: "skills", version: 0 });
    await host.prompt(0);
    const { updates } = sent(await host.prompt(0));
    expect(updates[1]).toBe(update(`${HEAD}\nNo skills are currently available.`));
    expect(updates).toHaveLength(2);
  });

  test("E2: where the host gives no guidance, a first Baseline has none, and nothing takes back what was never told", async () => {
    const { host } = scenes.open();
    host.change({ of: "skills", version: null });
    const first = sent(await host.prompt(0));
    expect(first.system.join("\n")).not.toContain("kills");
    const second = sent(await host.prompt(0));
    expect(second.updates).toEqual([]);
    expect(second.system).toEqual(first.system);
  });
});

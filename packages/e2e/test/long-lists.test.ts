import { expect, setDefaultTimeout, test } from "bun:test";
import { baseline, expectSteady, updates, useStage } from "./conformance/stage.ts";

setDefaultTimeout(600_000);

const stage = useStage({});

const skill = (index: number, description: string) => ({
  [`.opencode/skills/skill-${index}/SKILL.md`]: `---\nname: skill-${index}\ndescription: ${description}\n---\nDo it.\n`,
});

test("I6: of 2,000 skills one edit, one new and one gone are announced by themselves, each once", async () => {
  const all = Array.from({ length: 2000 }, (_, index) => skill(index, `Use for task ${index}.`));
  const folder = stage.host.addProject("skilled", Object.assign({}, ...all));
  const talk = await stage.talk(stage.host.createClient(folder));
  await talk.say("One");
  expect(baseline(talk.last()).match(/<skill>/g)?.length).toBeGreaterThanOrEqual(2000);

  talk.edit({ ...skill(77, "Use for anything."), ...skill(5000, "Use at last.") });
  talk.remove(".opencode/skills/skill-9");
  // The host reads its skills when it opens a project.
  await talk.client.request("POST", "/instance/dispose");
  await talk.say("Two");
  await talk.say("Three");
  const [update = ""] = updates(talk.last());
  expect(updates(talk.last())).toHaveLength(1);
  expect(update.length).toBeLessThan(1000);
  expect(update.replaceAll(folder, "")).toBe(
    [
      "The list of available skills has changed by these entries. The rest of the previous list still applies.",
      ...["<removed>", "    <name>skill-9</name>", "</removed>", "<added>", "  <skill>"],
      ...["    <name>skill-5000</name>", "    <description>Use at last.</description>"],
      "    <location>/.opencode/skills/skill-5000/SKILL.md</location>",
      ...["  </skill>", "</added>", "<changed>", "  <skill>", "    <name>skill-77</name>"],
      "    <description>Use for anything.</description>",
      "    <location>/.opencode/skills/skill-77/SKILL.md</location>",
      ...["  </skill>", "</changed>"],
    ].join("\n"),
  );
  await talk.say("Four");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main());
});

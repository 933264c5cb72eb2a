import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openBench } from "../src/open.ts";
import { baseline, expectSteady, makeTalk, OURS, updates, useStage } from "./conformance/stage.ts";
import { exampleSettings } from "./documents.ts";

setDefaultTimeout(600_000);

const ROOT = resolve(import.meta.dir, "../../..");
const EXAMPLE = join(ROOT, "examples/oncall-plugin");
const REGISTRY = join(OURS, "src/registry.ts");

const patient = { observation: { timeoutMs: 10_000 }, cache: { split: "auto" } };

describe("M3: the documents' sources on the real host", () => {
  const stage = useStage({
    plugin: [[OURS, { ...exampleSettings("Custom sources"), ...patient }]],
    env: { STAGE: "blue" },
  });

  test("file, glob, variable and command stand in the Baseline, are told of changes and taken back", async () => {
    const talk = await stage.talk();
    talk.edit({ "oncall.txt": "Ada\n", "docs/rules/style.md": "Be brief." });
    await talk.say("One");
    const frozen = baseline(talk.last());
    expect(frozen).toContain("On call: Ada\n");
    expect(frozen).toContain("team/rules:\ndocs/rules/style.md:\nBe brief.");
    expect(frozen).toContain("team/stage:\nblue");
    expect(frozen).toContain("team/branch:\nmain");
    expect(frozen).toContain("team/todos:\n0");
    talk.edit({ "oncall.txt": "Grace", "docs/rules/tests.md": "Test it." });
    Bun.spawnSync(["git", "checkout", "--quiet", "-b", "feature"], { cwd: stage.host.project });
    await talk.say("Two");
    expect(updates(talk.last())).toEqual([
      [
        "team/branch has changed. It is now:\nfeature",
        "Grace has taken over from Ada.",
        "team/rules has changed. It is now:\ndocs/rules/style.md:\nBe brief.\n\ndocs/rules/tests.md:\nTest it.",
      ].join("\n\n"),
    ]);
    talk.remove("oncall.txt");
    talk.remove("docs");
    await talk.say("Three");
    expect(updates(talk.last())[1]).toBe("Nobody is on call.\n\nteam/rules no longer applies.");
    await talk.say("Four");
    expect(updates(talk.last())).toHaveLength(2);
    expectSteady(talk.main());
    Bun.spawnSync(["git", "checkout", "--quiet", "main"], { cwd: stage.host.project });
  });

  test("I2: a restart tells nothing twice", async () => {
    const talk = await stage.talk();
    talk.edit({ "oncall.txt": "Ada" });
    await talk.say("One");
    await stage.host.restart({});
    await talk.say("Two");
    expect(updates(talk.last())).toEqual([]);
    talk.edit({ "oncall.txt": "Grace" });
    await stage.host.restart({});
    await talk.say("Three");
    expect(updates(talk.last())).toEqual(["Grace has taken over from Ada."]);
    expectSteady(talk.main());
  });
});

describe("M4: the example plugin beside ours on the real host", () => {
  const stage = useStage({ plugin: [[OURS, patient], EXAMPLE] });
  const oncall = (person: string) => ({
    "oncall.json": JSON.stringify({ person, until: "Friday" }),
  });

  test("registers, updates, is unavailable, goes and comes back", async () => {
    const talk = await stage.talk();
    talk.edit(oncall("Ada"));
    await talk.say("One");
    expect(baseline(talk.last())).toContain("Ada is on call until Friday.");
    talk.edit(oncall("Grace"));
    await talk.say("Two");
    talk.edit({ "oncall.json": "{" });
    await talk.say("Three");
    talk.remove("oncall.json");
    await talk.say("Four");
    talk.edit(oncall("Ada"));
    await talk.say("Five");
    expect(updates(talk.last())).toEqual([
      "Grace is on call now, until Friday; no longer Ada.",
      "Nobody is known to be on call any more, Grace neither.",
      "Ada is on call until Friday.",
    ]);
    expectSteady(talk.main());
  });

  test("reloads: the host makes its plugins anew in the same process, and nothing is told twice", async () => {
    const talk = await stage.talk();
    talk.edit(oncall("Ada"));
    await talk.say("One");
    await talk.client.request("POST", "/instance/dispose");
    await talk.say("Two");
    expect(updates(talk.last())).toEqual([]);
    talk.edit(oncall("Grace"));
    await talk.client.request("POST", "/instance/dispose");
    await talk.say("Three");
    expect(updates(talk.last())).toEqual(["Grace is on call now, until Friday; no longer Ada."]);
    expectSteady(talk.main());
  });

  test("I12: two Locations stay apart", async () => {
    const second = stage.host.createClient(stage.host.addProject("second", oncall("Grace")));
    const [here, there] = [await stage.talk(), await stage.talk(second)];
    here.edit(oncall("Ada"));
    await Promise.all([here.say("One"), there.say("One")]);
    expect(baseline(here.last())).toContain("Ada is on call");
    expect(baseline(there.last())).toContain("Grace is on call");
    there.edit(oncall("Edsger"));
    await Promise.all([here.say("Two"), there.say("Two")]);
    expect(updates(here.last())).toEqual([]);
    expect(updates(there.last())).toEqual([
      "Edsger is on call now, until Friday; no longer Grace.",
    ]);
  });
});

/** Adds a source while the last prompt said "on", takes it away when one says "off". */
const SWITCH = `
import { registerSource } from ${JSON.stringify(REGISTRY)};
let dispose = () => undefined;
const words = { "team/soft": true, "team/hard": false };
const source = (key) => ({
  key,
  load: () => "on",
  baseline: () => key + " is on",
  update: () => key + " is on",
  ...(words[key] ? { removed: () => key + " is off" } : {}),
});
export default {
  id: "switch",
  server: async () => ({
    "chat.message": async (_input, { parts }) => {
      const [word, key] = parts.map(({ text }) => text).join(" ").split(" ");
      if (word === "off") dispose();
      if (word === "on") dispose = registerSource("switch/entry", () => [source(key)]);
      if (word === "fail") dispose = registerSource("switch/entry", () => { throw new Error("no"); });
    },
  }),
};
`;

test("M4: another copy of the registry's module disposes at the next boundary, with or without words", async () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-switch-"));
  const entry = join(folder, "switch.ts");
  writeFileSync(entry, SWITCH);
  // Bundled, it has a copy of its own of everything that it imports.
  const built = await Bun.build({ entrypoints: [entry], outdir: folder, target: "bun" });
  expect(built.success).toBeTrue();
  const plugin = [join(folder, "switch.js")];
  const bench = await openBench({ plugin: [...plugin, [OURS, patient]] });
  try {
    const { id } = await bench.host.client.createSession();
    const talk = makeTalk(bench, bench.host.client, id);
    await talk.say("Hello");
    await talk.say("on team/soft");
    expect(updates(talk.last())).toEqual(["team/soft is on"]);
    await talk.say("off");
    expect(updates(talk.last())).toEqual(["team/soft is on", "team/soft is off"]);
    await talk.say("fail");
    await talk.say("off");
    expect(updates(talk.last())).toHaveLength(2);
    expectSteady(talk.main());
    await talk.say("on team/hard");
    expect(updates(talk.last())).toHaveLength(3);
    await talk.say("off");
    expect(updates(talk.last())).toEqual([]);
    expect(baseline(talk.last())).not.toContain("team/hard");
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

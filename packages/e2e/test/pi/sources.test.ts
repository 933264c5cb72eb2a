import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi } from "../../src/pi/pi.ts";
import { makeScenarioClock } from "../../src/scenario/clock.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { times, updates, usePi } from "./stage.ts";

// What the model of the real Pi hears of a world that changes.

setDefaultTimeout(600_000);

/** Reading files takes longer than all others with it. */
const BUSY_POOL = join(import.meta.dir, "../../fixtures/pi/busy-pool.js");

const DAY_MINUTES = 1_440;

describe.skipIf(missingPi !== null)(missingPi ?? "sources on the real Pi", () => {
  const stage = usePi();
  const write = (files: Readonly<Record<string, string>>) => writeFiles(stage.pi.project, files);
  const remove = (file: string) => rmSync(join(stage.pi.project, file), { recursive: true });
  const steady = () => expect(prefixBreaks(stage.calls())).toEqual([]);

  test("J3, C3, C4: on Pi, a new day and an edit make one update, and nothing more comes that day", async () => {
    const clock = makeScenarioClock();
    const running = await stage.begin({ env: clock.env });
    await running.say("One");
    const { system } = stage.last();
    expect(system.indexOf("Today's date")).toBeLessThan(system.indexOf("Use tabs."));
    clock.pass(DAY_MINUTES);
    write({ "AGENTS.md": "Use spaces.\n" });
    await running.say("Two");
    await running.say("Three");
    clock.remove();
    expect(updates(stage.last())).toBe(1);
    expect(times(stage.last(), "Today's date is now")).toBe(1);
    expect(times(stage.last(), "Use spaces.")).toBe(1);
    steady();
  });

  test("J4, A4, A7: on Pi, AGENTS.md that appears, goes and returns is announced each time", async () => {
    const running = await stage.begin({ files: {} });
    await running.say("One");
    expect(stage.last().system).not.toContain("Instructions from");
    write({ "AGENTS.md": "Use spaces.\n" });
    await running.say("Two");
    expect(times(stage.last(), "Use spaces.")).toBe(1);
    remove("AGENTS.md");
    await running.say("Three");
    expect(times(stage.last(), "no longer apply")).toBe(1);
    write({ "AGENTS.md": "Use spaces.\n" });
    await running.say("Four");
    expect(times(stage.last(), "Use spaces.")).toBe(2);
    expect(updates(stage.last())).toBe(3);
    steady();
  });

  test("D1: on Pi, the agent's folder and all folders down to the project are one whole, which each edit says again", async () => {
    const running = await stage.begin();
    writeFiles(stage.pi.agent, { "AGENTS.md": "Be kind.\n" });
    writeFiles(stage.pi.root, { "AGENTS.md": "Be brief.\n" });
    await running.say("One");
    for (const rule of ["Be kind.", "Be brief.", "Use tabs."]) {
      expect(times(stage.last(), rule)).toBe(1);
    }
    write({ "AGENTS.override.md": "Use spaces.\n" });
    await running.say("Two");
    rmSync(join(stage.pi.root, "AGENTS.md"));
    await running.say("Three");
    expect([times(stage.last(), "Be kind."), times(stage.last(), "Be brief.")]).toEqual([3, 2]);
    expect([times(stage.last(), "Use spaces."), times(stage.last(), "Use tabs.")]).toEqual([2, 1]);
    steady();
  });

  test("D3, I8: on Pi, AGENTS.md that can't be read keeps what was said, until it can be", async () => {
    const running = await stage.begin();
    await running.say("One");
    remove("AGENTS.md");
    // A link to itself: root is not bound by modes, but nobody gets around this.
    symlinkSync("AGENTS.md", join(stage.pi.project, "AGENTS.md"));
    await running.say("Two");
    expect(updates(stage.last())).toBe(0);
    remove("AGENTS.md");
    write({ "AGENTS.md": "Use spaces.\n" });
    await running.say("Three");
    await running.say("Four");
    expect(updates(stage.last())).toBe(1);
    steady();
  });

  test("D3, I8: on Pi, AGENTS.md that can't be read as the session begins stands in Pi's own words, until it can be", async () => {
    const running = await stage.begin();
    // It answers once it has read it.
    await running.ask({ type: "get_state" });
    remove("AGENTS.md");
    symlinkSync("AGENTS.md", join(stage.pi.project, "AGENTS.md"));
    await running.say("One");
    expect(times(stage.last(), "Use tabs.")).toBe(1);
    remove("AGENTS.md");
    write({ "AGENTS.md": "Use spaces.\n" });
    await running.say("Two");
    await running.say("Three");
    expect(updates(stage.last())).toBe(1);
    expect(times(stage.last(), "Use spaces.")).toBe(1);
    steady();
  });

  test("D1: on Pi, AGENTS.md is in the first call, however little the sources are waited for", async () => {
    await stage.begin({ extensions: [BUSY_POOL] });
    writeFiles(join(stage.pi.root, "config"), {
      "opencode/session-runtime.json": JSON.stringify({ observation: { timeoutMs: 10 } }),
    });
    const running = stage.pi.start();
    await running.say("One");
    await running.say("Two");
    expect(stage.calls().map((sent) => times(sent, "Use tabs."))).toEqual([1, 1]);
    expect(updates(stage.last())).toBe(0);
    // Nobody is to do anything about a machine that is busy.
    expect(JSON.stringify(running.events)).not.toContain("core/instructions");
    steady();
  });

  test("D2, D9: on Pi, an emptied file, one of odd bytes and a folder in its place are announced once each", async () => {
    const running = await stage.begin();
    await running.say("One");
    const contents = [
      "",
      "\uFEFFBe kind.\r\n",
      "Be\0 \u202Ebold\u202C.\n",
      "Many rules. ".repeat(9_000),
    ];
    for (const [at, content] of contents.entries()) {
      write({ "AGENTS.md": content });
      await running.say(`Content ${at}`);
      expect(updates(stage.last())).toBe(at + 1);
    }
    remove("AGENTS.md");
    mkdirSync(join(stage.pi.project, "AGENTS.md"));
    await running.say("A folder");
    await running.say("And on");
    expect(updates(stage.last())).toBe(contents.length + 1);
    steady();
  });

  test("D6: on Pi, --no-context-files means none from us, too; the other sources stay", async () => {
    await stage.begin();
    writeFiles(stage.pi.agent, { "AGENTS.md": "Be kind.\n" });
    const running = stage.pi.start(["--no-context-files"]);
    await running.say("One");
    write({ "AGENTS.md": "Use spaces.\n" });
    await running.say("Two");
    for (const rule of ["Be kind.", "Use tabs.", "Use spaces."]) {
      expect(times(stage.last(), rule)).toBe(0);
    }
    expect(stage.last().system).toContain("Today's date");
  });

  test("E1: on Pi, a skill that is added over a restart, and one that is removed, give the whole list again", async () => {
    const skill = (name: string) => ({
      [`.pi/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: How to ${name}.\n---\nDo.\n`,
    });
    const first = await stage.begin({ files: skill("release") });
    await first.say("One");
    await first.end();
    write(skill("deploy"));
    const second = stage.pi.start(["--continue"]);
    await second.say("Two");
    await second.end();
    expect(times(stage.last(), "How to deploy.")).toBe(1);
    expect(times(stage.last(), "How to release.")).toBe(2);
    remove(".pi/skills");
    const third = stage.pi.start(["--continue"]);
    await third.say("Three");
    await third.say("Four");
    expect(updates(stage.last())).toBe(2);
    steady();
  });

  test("A5, I8: on Pi, a custom source of the settings is announced, and one that fails says and forgets nothing", async () => {
    await stage.begin();
    const config = {
      sources: {
        "team/oncall": { file: "oncall.txt" },
        "team/branch": { command: ["cat", "branch.txt"], refreshMs: 0 },
      },
    };
    writeFiles(join(stage.pi.root, "config"), {
      "opencode/session-runtime.json": JSON.stringify(config),
    });
    write({ "oncall.txt": "Ada", "branch.txt": "main" });
    const running = stage.pi.start();
    await running.say("One");
    expect(stage.last().system).toContain("team/branch:\nmain");
    remove("branch.txt");
    write({ "oncall.txt": "Grace" });
    await running.say("Two");
    expect(times(stage.last(), "Grace")).toBe(1);
    expect(times(stage.last(), "team/branch")).toBe(1);
    steady();
  });
});

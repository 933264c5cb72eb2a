import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { CONFIG, makeHome, type ThrowawayHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

const FILE = `${CONFIG}/opencode.jsonc`;
const WRITE = ["setup", "--yes", "--no-launcher", "--json", "--spec"] as const;

/** The version says it is the second major; nothing else of it is ever started. */
function home2(version = "2.3.0"): ThrowawayHome {
  const home = makeHome(version);
  const exported = { "./server": "./a.js", "./tui": "./b.js" };
  const manifest = { name: "@session-runtime/opencode", exports: exported };
  home.write("plugin/package.json", JSON.stringify(manifest));
  return home;
}

const listed = (home: ThrowawayHome) => JSON.parse(home.read(FILE));

describe("setup for OpenCode 2", () => {
  test("an empty home gets the list that both majors read, and no tui.json; OpenCode is not started", async () => {
    const home = home2();
    const { out, err } = await home.run(...WRITE, "./plugin");
    const { works, notes } = JSON.parse(out);
    expect(works, err).toBe(null);
    expect(notes.join(" ")).toContain('"plugin", which OpenCode 2 reads as OpenCode 1 does');
    expect(notes.join(" ")).toContain("was never run on a stable 2.x");
    expect(listed(home).plugin).toEqual([home.path("plugin")]);
    expect(existsSync(home.path(`${CONFIG}/tui.json`))).toBe(false);
  });

  const SHAPES: readonly (readonly [string, string, unknown])[] = [
    [
      "a list of its own form",
      '{\n  "plugins": ["a", { "package": "b", "options": {} }] // mine\n}\n',
      ["OURS", "a", { package: "b", options: {} }],
    ],
    [
      "an old entry with options",
      '{"plugins":[{"package":"@session-runtime/opencode@0.0.1","options":{"recovery":"off"}}]}',
      [{ package: "OURS", options: { recovery: "off" } }],
    ],
  ];
  for (const [name, text, expected] of SHAPES) {
    test(`${name}: the entry goes into "plugins", and --remove restores what was not ours`, async () => {
      const home = home2();
      home.write(FILE, text);
      const { out } = await home.run(...WRITE, "./plugin");
      expect(JSON.parse(out).notes.join(" ")).toContain("OpenCode 1 refuses such a config");
      const json = home.read(FILE).replace("// mine", "");
      const { plugins } = JSON.parse(json.replaceAll(home.path("plugin"), "OURS"));
      expect(plugins).toEqual(expected);
      await home.run("setup", "--remove", "--yes");
      if (name.startsWith("a list")) expect(home.read(FILE)).toBe(text);
      else expect(JSON.parse(home.read(FILE)).plugins).toEqual([]);
    });
  }

  test("an entry that OpenCode 1 had moves into the one list: two would load it twice", async () => {
    const home = home2();
    home.write(FILE, '{"plugin": ["@session-runtime/opencode@0.0.1", "c"], "plugins": ["a"]}');
    await home.run(...WRITE, "./plugin");
    expect(listed(home)).toEqual({ plugin: ["c"], plugins: [home.path("plugin"), "a"] });
  });

  test("under OpenCode 1 nothing goes into a list that it refuses", async () => {
    const home = home2("1.18.33");
    home.write(FILE, '{"plugins": ["a"]}');
    await home.run(...WRITE, "./plugin", "--no-check");
    expect(listed(home)).toEqual({ plugins: ["a"], plugin: [home.path("plugin")] });
  });

  test("a file is refused with the folder to name", async () => {
    const home = home2();
    home.write("plugin/a.js", "");
    const { out, exitCode } = await home.run(...WRITE, "./plugin/a.js");
    expect(exitCode).toBe(2);
    expect(JSON.parse(out).error).toMatchObject({ code: "spec-file" });
    expect(existsSync(home.path(FILE))).toBe(false);
  });
});

describe("doctor for OpenCode 2", () => {
  const findings = async (home: ThrowawayHome) => {
    const { out } = await home.run("doctor", "--json");
    const { findings: found, checks } = JSON.parse(out);
    return { codes: found.map(({ code }: { code: string }) => code), checks };
  };

  test("a set-up is healthy in either list, and says that OpenCode was not started", async () => {
    for (const text of ["{}", '{"plugins": ["a"]}']) {
      const home = home2();
      home.write(FILE, text);
      await home.run(...WRITE, "./plugin");
      const { codes, checks } = await findings(home);
      expect(codes).toEqual([]);
      expect(checks).toContainEqual({ id: "plugin-listed", result: "passed" });
      expect(checks).toContainEqual({ id: "plugin-loads", result: "skipped" });
      const { out } = await home.run("doctor");
      expect(out).toContain("doctor does not start OpenCode 2");
      expect(out).toContain("Nothing to fix");
    }
  });

  test("no entry, a second one in the other list, a file, and a folder that is gone are found", async () => {
    const home = home2();
    const plugin = home.path("plugin");
    home.write("plugin/a.js", "");
    const with2 = async (config: object) => {
      home.write(FILE, JSON.stringify(config));
      return (await findings(home)).codes;
    };
    expect(await with2({ plugins: ["a"] })).toEqual(["plugin-not-listed"]);
    expect(await with2({ plugin: [plugin], plugins: [{ package: plugin }] })).toEqual([
      "plugin-twice",
    ]);
    expect(await with2({ plugins: [`${plugin}/a.js`] })).toEqual(["plugin-file"]);
    expect(await with2({ plugins: ["/nowhere/session-runtime"] })).toEqual(["plugin-gone"]);
  });
});

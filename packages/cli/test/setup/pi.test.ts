import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { OLDEST_PI } from "../../src/host/pi-versions.ts";
import { MANIFEST, withPi } from "../pi-home.ts";
import { makeHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

const SETTINGS = ".pi/agent/settings.json";
const WRITE = ["setup", "--yes", "--no-check", "--no-launcher", "--json"] as const;

describe("setup for Pi", () => {
  const SHAPES: readonly (readonly [string, string])[] = [
    [
      "a package of the user's",
      '{\n  "packages": ["npm:pi-tools@1.0.0"],\n  "theme": "light"\n}\n',
    ],
    ["one with filters", '{"packages": [{"source": "../tools", "skills": []}]}'],
    ["no list", '{\n\t"quietStartup": true\n}'],
    ["an empty list", '{ "packages": [] }'],
    ["nothing in it", "{}\n"],
    ["Windows line ends", '{\r\n  "packages": [\r\n    "./a"\r\n  ]\r\n}\r\n'],
  ];
  for (const [name, text] of SHAPES) {
    test(`settings with ${name}: listed, then restored byte for byte`, async () => {
      const home = withPi("silent");
      home.write(SETTINGS, text);
      const before = home.files();
      const done = await home.run(...WRITE, "--host", "pi", "--spec", "./ext");
      expect(done).toMatchObject({ err: "", exitCode: 0 });
      const { packages } = JSON.parse(home.read(SETTINGS));
      expect(packages.at(-1)).toBe(home.path("ext"));
      const removed = await home.run("setup", "--remove", "--yes");
      expect(removed).toMatchObject({ err: "", exitCode: 0 });
      expect(removed.out).toContain("Restart Pi");
      expect(home.read(SETTINGS)).toBe(text);
      expect(home.files()).toEqual(before);
    });
  }

  test("a home without settings gets them, and has none afterwards", async () => {
    const home = withPi("silent");
    const before = home.files();
    await home.run(...WRITE, "--host", "pi", "--spec", "./ext");
    expect(home.read(SETTINGS)).toBe(`{\n  "packages": ["${home.path("ext")}"]\n}\n`);
    await home.run("setup", "--remove", "--yes");
    expect(home.files()).toEqual(before);
    expect(existsSync(home.path(".pi/agent"))).toBe(false);
  });

  test("what Pi has written meanwhile stays, and the list goes with our entry", async () => {
    const home = withPi("silent");
    home.write(SETTINGS, '{ "quietStartup": true }');
    await home.run(...WRITE, "--host", "pi", "--spec", "./ext");
    const settings = { ...JSON.parse(home.read(SETTINGS)), lastChangelogVersion: OLDEST_PI };
    home.write(SETTINGS, JSON.stringify(settings, null, 2));
    await home.run("setup", "--remove", "--yes");
    expect(JSON.parse(home.read(SETTINGS))).toEqual({
      quietStartup: true,
      lastChangelogVersion: OLDEST_PI,
    });
  });

  test("an entry that `pi install` wrote, by a relative path, is ours: updated and removed", async () => {
    const home = withPi("silent");
    home.write("old/package.json", JSON.stringify(MANIFEST));
    const entry = { source: "../../old", skills: [] };
    home.write(SETTINGS, JSON.stringify({ packages: ["npm:other", entry] }));
    await home.run(...WRITE, "--host", "pi", "--spec", "./ext");
    expect(JSON.parse(home.read(SETTINGS)).packages).toEqual([
      "npm:other",
      { ...entry, source: home.path("ext") },
    ]);
    await home.run("setup", "--remove", "--yes", "--host", "pi");
    expect(JSON.parse(home.read(SETTINGS)).packages).toEqual(["npm:other"]);
  });

  test("the packed archive, as Pi installs it, is taken out by --remove", async () => {
    const home = withPi("silent");
    const packed = "npm:@session-runtime/pi@file:/downloads/session-runtime-pi-0.1.0.tgz";
    home.write(SETTINGS, JSON.stringify({ packages: ["npm:other", packed] }));
    await home.run("setup", "--remove", "--yes");
    expect(JSON.parse(home.read(SETTINGS)).packages).toEqual(["npm:other"]);
  });

  test("--project writes into the folder's own settings", async () => {
    const home = withPi("silent");
    await home.run(...WRITE, "--project", "--host", "pi", "--spec", "./ext");
    expect(JSON.parse(home.read(".pi/settings.json")).packages).toEqual([home.path("ext")]);
    expect(existsSync(home.path(SETTINGS))).toBe(false);
  });
});

describe("both hosts", () => {
  test("are found and set up together, and --host takes one of them out again", async () => {
    const home = withPi("silent");
    const { out, err } = await home.run(...WRITE, "--dry-run");
    const planned = JSON.parse(out);
    expect(planned, err).toMatchObject({
      host: { version: "1.18.33" },
      pi: { version: OLDEST_PI, spec: expect.stringContaining("@session-runtime/pi") },
      isWritten: false,
    });
    const files = planned.changes.map(({ path }: { path: string }) => path);
    expect(files).toContain(home.path(SETTINGS));
    expect(files).toContain(home.path(".config/opencode/opencode.jsonc"));
    await home.run(...WRITE, "--host", "opencode", "--spec", "./plugin");
    await home.run(...WRITE, "--host", "pi", "--spec", "./ext");
    await home.run("setup", "--remove", "--yes", "--host", "opencode");
    expect(existsSync(home.path(".config/opencode/opencode.jsonc"))).toBe(false);
    expect(JSON.parse(home.read(SETTINGS)).packages).toEqual([home.path("ext")]);
  });

  test("where only Pi is there, it is set up alone", async () => {
    const home = withPi("silent");
    const env = { HOME: home.root, PI_BIN: home.path(".fake-bin/pi") };
    const { out, err } = await home.runWith(env, ...WRITE, "--dry-run");
    expect(JSON.parse(out), err).toMatchObject({ host: null, pi: { version: OLDEST_PI } });
  });
});

describe("the check on Pi", () => {
  const words = ["setup", "--yes", "--no-launcher", "--host", "pi", "--spec", "./ext"] as const;

  test("before and after: seen to load the extension", async () => {
    const home = withPi("loads");
    const { out, err, exitCode } = await home.run(...words);
    expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
    expect(out).toContain("It works: Pi was started once and loaded the extension.");
    expect(out).toContain("Settings for Pi alone go into ");
  });

  test("an extension that Pi can't load leaves the settings as they were", async () => {
    const home = withPi("refuses");
    const before = home.files();
    const { err, exitCode } = await home.run(...words);
    expect(exitCode).toBe(1);
    expect(err).toContain("no such module");
    expect(err).toContain("Nothing was changed.");
    expect(home.files()).toEqual(before);
  });

  test("a clone's extension that is not built yet is refused, with what to run", async () => {
    const home = withPi("loads");
    home.write("bare/package.json", JSON.stringify(MANIFEST));
    const { err } = await home.run(...WRITE.slice(0, 4), "--spec", "./bare");
    expect(err).toContain("is not built");
    expect(err).toContain("build-pi.mjs");
  });

  test("settings with a comment, of which Pi reads nothing, are refused", async () => {
    const home = withPi("silent");
    home.write(SETTINGS, '{\n  // mine\n  "theme": "light"\n}\n');
    const { err, exitCode } = await home.run(...words, "--no-check");
    expect(exitCode).toBe(1);
    expect(err).toContain("which Pi does not accept");
  });

  test("without Pi, --host pi says where it looked and what to install", async () => {
    const home = makeHome();
    const { out, exitCode } = await home.run(...WRITE, "--host", "pi");
    expect(exitCode).toBe(4);
    expect(JSON.parse(out).error).toMatchObject({ code: "pi-missing" });
  });
});

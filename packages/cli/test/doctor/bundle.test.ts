import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { CONFIG, makeHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

test("the bundle is for its owner alone, new or written over, and holds no secret of the config", async () => {
  const home = makeHome();
  const secret = ["hunter2", "hunter2"].join("");
  const plugin = `https://me:${secret}@example.org/plugin.tgz?token=${secret}`;
  const config = home.write(
    "answer.json",
    JSON.stringify({ plugin_origins: [{ spec: plugin, source: "global" }] }),
  );
  home.write(
    ".fake-bin/opencode",
    `#!/bin/sh\nif [ "$1" = debug ]; then cat "${config}"; else echo 1.18.33; fi\n`,
  );
  for (const before of ["absent", "readable by all"]) {
    if (before !== "absent") chmodSync(home.path("report.md"), 0o644);
    const { err } = await home.run("doctor", "--no-live", "--bundle", "report.md");
    expect(err).not.toContain("This should not have happened");
    expect((statSync(home.path("report.md")).mode & 0o777).toString(8)).toBe("600");
    const report = home.read("report.md");
    expect(report).toContain("https://example.org/plugin.tgz");
    expect(report).not.toContain(secret);
  }
});

test("the bundle has settings, log and findings, and nobody's words", async () => {
  const home = makeHome();
  const words = "Kindly translate the secret recipe";
  const settings = {
    recovery: "auto",
    environment: { "/": { TOKEN: words } },
    sources: { "team/x": { command: ["cat", words], file: "notes.md" } },
    requestOptions: { "a/b": { user: words, depth: 3 } },
  };
  home.write(`${CONFIG}/session-runtime.jsonc`, JSON.stringify(settings));
  const lines = Array.from({ length: 300 }, (_, index) => `{"at":"now","event":"line ${index}"}`);
  home.write(".local/share/session-runtime/runtime.log", `${lines.join("\n")}\n`);
  home.write(
    ".fake-bin/opencode",
    `#!/bin/sh\nif [ "$1" = debug ]; then echo 'Expected 1, got "${words}" share' >&2; exit 1; fi\necho 1.18.33\n`,
  );
  await home.run("doctor", "--no-live", "--bundle", "report.md");
  const report = home.read("report.md");
  expect(report).not.toContain(words);
  for (const told of ['"recovery": "auto"', '"file": "notes.md"', '"depth": 3', "config-refused"]) {
    expect(report).toContain(told);
  }
  expect(report).toContain("line 299");
  expect(report).toContain("line 100");
  expect(report).not.toContain("line 99");
  expect(home.read(`${CONFIG}/session-runtime.jsonc`)).toContain(words);
});

test("a section without lines is left out: no trial, no log", async () => {
  const home = makeHome();
  await home.run("doctor", "--no-live", "--bundle", "report.md");
  const report = home.read("report.md");
  expect(report.match(/^## .*$/gm)).toEqual(["## Report"]);
  expect(report).not.toMatch(/^```\n+```$/m);
});

test("--issue prepares the report and says where to send it", async () => {
  const home = makeHome();
  const { out } = await home.run("doctor", "--no-live", "--issue");
  expect(out).toContain("The report is in session-runtime-report.md");
  expect(out).toMatch(/Attach it to a new issue: https:\S+\/issues\/new/);
  expect(home.read("session-runtime-report.md")).toStartWith("# session-runtime doctor\n");
});

describe("a report that can't be written is refused before any work, without a stack", () => {
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    ["a folder that is not there", "no/where/report.md", /There is no folder .*no\/where/],
    ["a folder", ".", /is a folder/],
    ["a file of somebody's own", "notes.md", /exists and is not one of doctor's reports/],
  ];
  for (const [name, path, message] of refusals) {
    test(name, async () => {
      const home = makeHome();
      home.write("notes.md", "mine");
      const { err, exitCode } = await home.run("doctor", "--no-live", "--bundle", path);
      expect(exitCode).toBe(2);
      expect(err).toMatch(message);
      expect(err).not.toMatch(/^\s+at /m);
      expect(home.read("notes.md")).toBe("mine");
    });
  }
});

test("the address of a team's store is in no report and no bundle, whichever way it is set", async () => {
  const secret = ["hunter2", "hunter2"].join("");
  const address = `postgres://ann:${secret}@127.0.0.1:1/team`;
  for (const store of [address, `postgre://ann:${secret}@127.0.0.1:1/team`]) {
    const home = makeHome();
    const settings = { memory: { enabled: true, store } };
    home.write(`${CONFIG}/session-runtime.jsonc`, JSON.stringify(settings));
    home.write(".fake-bin/opencode", "#!/bin/sh\necho 1.18.33\n");
    const { out, err } = await home.run("doctor", "--no-live", "--bundle", "report.md");
    const report = home.read("report.md");
    expect(report).toContain('"store": "[text]"');
    expect(report).toContain(store === address ? "team-store-away" : "setting-invalid");
    for (const text of [out, err, report]) expect(text).not.toContain(secret);
  }
});

test("of the settings no secret and no words are in the bundle, an unknown key's neither", async () => {
  const home = makeHome();
  const settings = {
    vectors: { url: "https://ann:hunter2a@127.0.0.1:1/v1", model: "small" },
    environment: { ".": { STAGE: "hunter2b" } },
    enviroment: { ".": { STAGE: "hunter2c" } },
    sources: { "team/oncall": { file: "oncall.md", baseline: "hunter2d {value}" } },
  };
  home.write(`${CONFIG}/session-runtime.jsonc`, JSON.stringify(settings));
  home.write(".fake-bin/opencode", "#!/bin/sh\necho 1.18.33\n");
  await home.run("doctor", "--no-live", "--bundle", "report.md");
  const report = home.read("report.md");
  expect(report).toContain('"file": "oncall.md"');
  expect(report).toContain('"model": "small"');
  expect(report).toContain('"STAGE": "[text]"');
  expect(report).not.toContain("hunter2");
});

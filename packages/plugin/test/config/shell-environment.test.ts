import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ShellEnvironment } from "../../src/config/shell-environment.ts";
import { createNotices, noToast } from "../../src/log/notices.ts";
import { reportRefusedVariables } from "../../src/runtime/channels.ts";
import { scratchFolders } from "../sources/scratch-folder.ts";

const folder = scratchFolders();

describe("M2: variables by working directory", () => {
  const overlays = {
    "/work/app": { STAGE: "app", REGION: "eu", LEVEL: "1" },
    "/work/app/web": { STAGE: "web" },
    "/work/*": { STAGE: "any", TEAM: "blue" },
    "/work/**/secret": { KEY: "deep" },
    "services/{api,worker}": { STAGE: "service" },
  };
  const environment = new ShellEnvironment(overlays, "/work/app");

  test.each([
    ["/work/app", { STAGE: "app", REGION: "eu", LEVEL: "1", TEAM: "blue" }],
    ["/work/app/web/src", { STAGE: "web", REGION: "eu", LEVEL: "1", TEAM: "blue" }],
    ["/work/app/webby", { STAGE: "app", REGION: "eu", LEVEL: "1", TEAM: "blue" }],
    ["/work/app/../other/", { STAGE: "any", TEAM: "blue" }],
    ["/work/other/a/b/secret/c", { STAGE: "any", TEAM: "blue", KEY: "deep" }],
    ["/work/app/services/api/src", { STAGE: "service", REGION: "eu", LEVEL: "1", TEAM: "blue" }],
    ["/work", {}],
    ["/elsewhere", {}],
  ])("%s: the longest match wins, name by name", async (directory, expected) => {
    expect(await environment.resolveOverlay(directory)).toEqual(expected);
  });

  test("~/ is the home folder, and / holds everywhere", async () => {
    const everywhere = new ShellEnvironment({ "~/x": { A: "home" }, "/": { A: "all" } }, "/work");
    expect(await everywhere.resolveOverlay(join(homedir(), "x/y"))).toEqual({ A: "home" });
    expect(await everywhere.resolveOverlay("/tmp")).toEqual({ A: "all" });
  });

  test("links are resolved, on both sides", async () => {
    const root = folder();
    mkdirSync(join(root, "real/inner"), { recursive: true });
    symlinkSync(join(root, "real"), join(root, "link"));
    const byReal = new ShellEnvironment({ [join(root, "real")]: { A: "1" } }, root);
    expect(await byReal.resolveOverlay(join(root, "link/inner"))).toEqual({ A: "1" });
    const byLink = new ShellEnvironment({ link: { A: "2" } }, root);
    expect(await byLink.resolveOverlay(join(root, "real/inner"))).toEqual({ A: "2" });
  });

  test("the host's own variables are not set, and named once; the values are in no message", async () => {
    const own = {
      TERM: "s3cret-a",
      OPENCODE: "s3cret-b",
      OPENCODE_PID: "s3cret-c",
      AGENT: "s3cret-d",
    };
    const mixed = new ShellEnvironment({ "/": { ...own, KEEP: "yes", TERMINAL: "x" } }, "/work");
    expect(await mixed.resolveOverlay("/work")).toEqual({ KEEP: "yes", TERMINAL: "x" });
    const lines: string[] = [];
    const note = (event: string, fields: object) => void lines.push(event, JSON.stringify(fields));
    const log = { debug: note, info: note, warn: note, error: note };
    const notices = createNotices({ toast: noToast, log }, new Set());
    reportRefusedVariables(mixed, notices);
    reportRefusedVariables(mixed, notices);
    expect(notices.all().map(({ code }) => code)).toEqual([
      "environment_protected:AGENT",
      "environment_protected:OPENCODE",
      "environment_protected:OPENCODE_PID",
      "environment_protected:TERM",
    ]);
    expect(JSON.stringify([lines, notices.all()])).not.toContain("s3cret");
  });
});

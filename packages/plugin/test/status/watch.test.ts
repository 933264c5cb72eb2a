import { describe, expect, test } from "bun:test";
import manifest from "../../package.json";
import { createNotices, noToast } from "../../src/log/notices.ts";
import { findUnknownBlocks } from "../../src/status/notices.ts";
import { findRewriters } from "../../src/status/rewriters.ts";
import { type CallProgress, WireWatch } from "../../src/status/wire-watch.ts";
import { session } from "./records.ts";

/** The oldest host that the package says it supports. */
const FLOOR = manifest.engines.opencode.replace(/^>=(\S+).*$/, "$1");

const facts = { ownSystem: null, structuredNote: "absent" } as const;

const skip = () => undefined;
const silent = { debug: skip, info: skip, warn: skip, error: skip };

function createWatch(state: CallProgress) {
  const notices = createNotices({ toast: noToast, log: silent }, new Set());
  return {
    notices,
    watch: new WireWatch({ callState: () => state, notices, otherPlugins: () => [] }),
  };
}

describe("plugins that rewrite messages or the system string, by the host's list", () => {
  test.each([
    "opencode-dcp",
    "@tarquinen/opencode-dcp",
    "@tarquinen/opencode-dcp@latest",
    "@cortexkit/opencode-magic-context@0.36.0",
    "oh-my-opencode@3.5.2",
    "file:///home/me/plugins/oh-my-opencode-slim/dist/index.js",
    "./plugins/magic-context.ts",
    "C:\\plugins\\opencode-acp\\index.ts",
  ])("%s is one", (spec) => {
    expect(findRewriters([spec, "opencode-wakatime"])).toEqual([spec]);
  });

  test.each(["opencode-dcp-viewer", "@opencode-dcp/theme", "@session-runtime/opencode"])(
    "%s is none",
    (spec) => {
      expect(findRewriters([spec])).toEqual([]);
    },
  );
});

describe("what shows of other plugins in the system strings", () => {
  const own = { baseline: "BASE", ownSystem: "OWN", structuredNote: "absent" } as const;

  test.each([
    ["nothing in split strings", ["HOST"], ["PRE", "BASE"], []],
    ["nothing in one joined string", ["HOST"], ["PRE\nBASE"], []],
    ["nothing where the prompt's own system is live", ["HOST"], ["PRE", "BASE", "OWN"], []],
    ["nothing where it is joined", ["HOST"], ["PRE\nBASE\nOWN"], []],
    ["a string beside the host's", ["HOST", "X"], ["PRE", "BASE", "X"], ["added-string"]],
    ["strings beside a joined one", ["HOST", "X", "Y"], ["PRE\nBASE", "X\nY"], ["added-string"]],
    ["a block behind the Baseline", ["HOST"], ["PRE", "BASE", "X\nOWN"], ["unknown-block"]],
    ["a block in a joined string", ["HOST"], ["PRE\nBASE\nX"], ["unknown-block"]],
    ["both", ["HOST", "Y"], ["PRE", "BASE", "X", "Y"], ["added-string", "unknown-block"]],
  ] as const)("%s", (_, given, sent, found) => {
    expect(findUnknownBlocks({ ...own, given, sent })).toEqual([...found]);
  });

  test("the host's note on structured output is not an unknown block", () => {
    const sent = ["PRE", "BASE", "IMPORTANT: …"];
    expect(findUnknownBlocks({ ...own, structuredNote: "present", given: ["HOST"], sent })).toEqual(
      [],
    );
  });

  test("a title call of the same session is not looked at", () => {
    const { watch, notices } = createWatch({ kind: "sent", baseline: "BASE", facts });
    watch.recordSystem(session, ["You write titles.", "More"], ["You write titles.", "More"]);
    expect(notices.all()).toEqual([]);
  });

  test("each kind is told once", () => {
    const { watch, notices } = createWatch({ kind: "sent", baseline: "BASE", facts });
    for (const text of ["X", "Y"])
      watch.recordSystem(session, ["HOST", text], ["PRE", "BASE", text]);
    expect(notices.all().map(({ code }) => code)).toEqual(["system_added-string"]);
  });
});

describe("a host whose system string isn't recognised", () => {
  test("is told at the agent's first call, once, with the versions that are supported", () => {
    const { watch, notices } = createWatch({ kind: "waiting" });
    watch.checkCall(session, "build");
    watch.checkCall(session, "plan");
    expect(notices.all()).toHaveLength(1);
    expect(notices.all()[0]?.remedy).toContain(FLOOR);
  });

  test("names the plugins that are listed before ours, and what to do about them", () => {
    const notices = createNotices({ toast: noToast, log: silent }, new Set());
    const callState = () => ({ kind: "waiting" }) as const;
    const watch = new WireWatch({ callState, notices, otherPlugins: () => ["a-login"] });
    watch.checkCall(session, "build");
    const [said] = notices.all();
    expect(said?.message).toContain("listed before Session Runtime may have changed it: a-login.");
    expect(said?.remedy).toContain("Put Session Runtime first in the plugin list");
  });

  test("is warned of until a call of the session's is recognised", () => {
    let state: CallProgress = { kind: "waiting" };
    const notices = createNotices({ toast: noToast, log: silent }, new Set());
    const watch = new WireWatch({ callState: () => state, notices, otherPlugins: () => [] });
    watch.checkCall(session, "build");
    expect(notices.all()).toHaveLength(1);
    state = { kind: "sent", baseline: "BASE", facts };
    watch.recordSystem(session, ["HOST"], ["BASE"]);
    expect(notices.all()).toEqual([]);
  });

  test("what another plugin adds is warned of until no session's newest call has it", () => {
    const notices = createNotices({ toast: noToast, log: silent }, new Set());
    const state: CallProgress = { kind: "sent", baseline: "BASE", facts };
    const watch = new WireWatch({ callState: () => state, notices, otherPlugins: () => [] });
    const other = "ses_other" as typeof session;
    const codes = () => notices.all().map(({ code }) => code);
    for (const one of [session, other]) watch.recordSystem(one, ["HOST", "X"], ["BASE", "Z", "X"]);
    expect(codes()).toEqual(["system_added-string", "system_unknown-block"]);
    watch.recordSystem(session, ["HOST"], ["BASE"]);
    expect(codes()).toHaveLength(2);
    watch.recordSystem(other, ["HOST", "X"], ["BASE", "X"]);
    expect(codes()).toEqual(["system_added-string"]);
    watch.recordSystem(other, ["HOST"], ["BASE"]);
    expect(codes()).toEqual([]);
    watch.recordSystem(session, ["HOST", "X"], ["BASE", "X"]);
    expect(codes()).toEqual(["system_added-string"]);
  });

  test.each(["title", "compaction", "summary"])("not at a call of the host's own %s", (agent) => {
    const { watch, notices } = createWatch({ kind: "waiting" });
    watch.checkCall(session, agent);
    expect(notices.all()).toEqual([]);
  });

  test("not where the reason is a storage that refused", () => {
    const { watch, notices } = createWatch({ kind: "waiting" });
    const told = {
      code: "storage_locked",
      severity: "warning",
      ends: "by over",
      ...{ message: "", remedy: "" },
    } as const;
    notices.notice(told);
    watch.checkCall(session, "build");
    expect(notices.all()).toEqual([told]);
  });

  test.each(["none", "sent"] as const)("not after a call that is %s", (kind) => {
    const { watch, notices } = createWatch(
      kind === "sent" ? { kind, baseline: "BASE", facts } : { kind },
    );
    watch.checkCall(session, "build");
    expect(notices.all()).toEqual([]);
  });
});

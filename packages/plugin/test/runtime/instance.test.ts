// One open instance over a host that offers little: what features may use of it, and its end.

import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createExtensionPoint,
  type Points,
  unsharedLease,
} from "../../src/feature-api/extension-point.ts";
import { PROJECT_LEASE, STATED_LIMITS } from "../../src/feature-api/extension-points.ts";
import type { Feature, FeatureInstance } from "../../src/feature-api/feature.ts";
import type { FeatureContext, HostApi, JobToAdd } from "../../src/feature-api/feature-context.ts";
import { toAnyJob } from "../../src/feature-api/job.ts";
import { noScreen } from "../../src/feature-api/screen.ts";
import { loadFeatures } from "../../src/features/list.ts";
import type { JobHost } from "../../src/jobs/child-port.ts";
import type { HostProjectName } from "../../src/project/project.ts";
import { type Host, missingHostMethods } from "../../src/runtime/host.ts";
import { type Instance, openInstance } from "../../src/runtime/instance.ts";
import { deriveHostScope } from "../../src/sources/instruction-scope.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { history } from "../kernel/session.ts";
import { resolveConfig } from "../whole-config.ts";

const sessionId = "ses_1" as SessionId;
const listed = await loadFeatures(process.env);
const jobHost: JobHost = {
  model: async () => null,
  open: async () => sessionId,
  prompt: () => new Promise(() => undefined),
  abort: async () => undefined,
  remove: async () => undefined,
  children: async () => [],
};

let folder: string;
let asked: unknown[];
let toasts: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-runtime-instance-"));
  asked = [];
  toasts = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function hostWith(jobs: JobHost | null): Host {
  const project = "project" as HostProjectName;
  const place = { directory: folder, worktree: folder, project, worker: "worker" };
  return {
    place: { ...place, git: "no" },
    scope: deriveHostScope({ ...place, configured: () => [] }, {}, folder),
    models: async () => [],
    prunes: () => "off",
    asked: missingHostMethods as HostApi,
    system: "ours",
    async listed(id) {
      asked.push(id);
      return history.slice(0, 1);
    },
    jobHost: jobs,
    screen: { ...noScreen, changed: (id) => void asked.push(`changed ${id}`) },
    toast: async (text) => void toasts.push(text),
  };
}

/** With these features, in this order, and the context that they were opened for. */
async function opened(
  featureInstances: readonly FeatureInstance[],
  jobs: JobHost | null = jobHost,
  provides: Points = {},
) {
  const contexts: FeatureContext[] = [];
  const features: readonly Feature[] = featureInstances.map((feature, at) => ({
    name: `feature ${at}`,
    provides,
    async open(context) {
      contexts.push(context);
      return feature;
    },
  }));
  const value = { storage: { path: join(folder, "runtime.db") } };
  const layer = { file: "test", scope: "user", findLine: () => null, value } as const;
  const sources = { "team/a": { file: "a.md" } };
  const ofProject = { ...layer, scope: "project", value: { sources } } as const;
  const configured = { ...resolveConfig([layer, ofProject]), files: [] };
  const instance = await openInstance(hostWith(jobs), {
    configured,
    listed,
    offered: listed,
    features,
  });
  await instance.database.ensure();
  const [context] = contexts;
  if (!context) throw new Error("no feature was opened");
  return { instance, context };
}

const job: JobToAdd = {
  ...{ kind: "k", key: "1", input: null, subject: null, sessionId: null },
  urgency: "waits",
};

test("an instance is refused when its list doesn't fit together, before anything is opened", async () => {
  const need = createExtensionPoint<string>("water");
  const mill: Feature = { name: "mill", needs: { water: need }, open: async () => ({}) };
  const configured = { ...resolveConfig([]), files: [] };
  const list = { configured, listed: [mill], offered: [mill], features: [mill] };
  const refused = openInstance(hostWith(null), list);
  await expect(refused).rejects.toThrow("The feature mill needs water, which no feature provides.");
  expect(asked).toEqual([]);
});

describe("an open instance", () => {
  test("has its features in the order of the list, with their tools and commands", async () => {
    const run = async () => ({ title: "T", text: "of the second" });
    const command = { kind: "report", name: "c", dialog: () => null } as const;
    const report = () => ({ text: "", summary: "" });
    const { instance } = await opened([{}, { tools: [{ name: "t", run }] }]);
    expect(instance.featureInstances.map(({ feature }) => feature)).toEqual([
      "feature 0",
      "feature 1",
    ]);
    expect(instance.commands()).toEqual([]);
    const call = { sessionId, messageId: "m", agent: "a", abort: new AbortController().signal };
    expect(await instance.runTool("t", {}, call)).toEqual(await run());
    await expect(instance.runTool("u", {}, call)).rejects.toThrow("not available");
    await instance.close();
    const other = await opened([{ commands: [{ ...command, report }] }]);
    expect(other.instance.commands().map(({ name }) => name)).toEqual(["c"]);
    await other.instance.close();
  });

  test("wakes its jobs for each that is added, and shows each proposal to the next boundary", async () => {
    const { instance, context } = await opened([{}]);
    if (!instance.runner) throw new Error("the host asks models");
    const woken = spyOn(instance.runner, "wake");
    const taken = spyOn(instance.runtime, "reloadProposals");
    expect(context.jobs.add(job)).not.toBeNull();
    expect([woken.mock.calls.length, taken.mock.calls.length]).toEqual([1, 0]);
    instance.database.current().sessions.claim(sessionId, "test", 1);
    const { proposals } = instance.database.current();
    const seen: number[] = [];
    taken.mockImplementation((id) => void seen.push(proposals.waiting(id).length));
    context.propose({ kind: "k", sessionId, urgency: "waits", output: {} });
    expect([taken.mock.calls, seen]).toEqual([[[sessionId]], [1]]);
    await instance.close();
  });

  test("asks the host for what a session's next call would be decided on, and shows what has changed", async () => {
    const { instance, context } = await opened([{}]);
    const next = await context.nextCall(sessionId);
    expect(next?.messages.map(({ info }) => info.id)).toEqual(["msg_0a"]);
    context.changed(sessionId);
    expect(asked).toEqual([sessionId, `changed ${sessionId}`]);
    await instance.close();
  });

  test("has what its features provide, and what two features add in the order of the list", async () => {
    const none = await opened([{}]);
    expect(none.instance.provided.getOne(PROJECT_LEASE)).toBeNull();
    expect(none.instance.provided.getAll(STATED_LIMITS)).toEqual([]);
    await none.instance.close();
    const lease = () => unsharedLease;
    const points = { lease: PROJECT_LEASE, limit: STATED_LIMITS };
    const { instance } = await opened(
      [{}, { provides: { lease: null, limit: () => 1 } }, { provides: { lease, limit: () => 2 } }],
      jobHost,
      points,
    );
    const limits = instance.provided.getAll(STATED_LIMITS);
    expect(limits.map(({ feature, value }) => `${feature}: ${value("a", "b")}`)).toEqual([
      "feature 1: 1",
      "feature 2: 2",
    ]);
    expect(instance.provided.getOne(PROJECT_LEASE)).toBe(lease);
    await instance.close();
  });

  test("ends with its jobs, its features and its database, in this order", async () => {
    const heard: string[] = [];
    const current: { instance?: Instance } = {};
    const closed = () =>
      void heard.push(`features: ${current.instance && state(current.instance)}`);
    const { instance } = await opened([{ hooks: { closed } }]);
    current.instance = instance;
    if (!instance.runner) throw new Error("the host asks models");
    const stopped = spyOn(instance.runner, "close");
    stopped.mockImplementation(async () => void heard.push("jobs"));
    const flushed = spyOn(instance.runtime.turns, "flush");
    await instance.close();
    expect(heard).toEqual(["jobs", "features: open"]);
    expect(flushed).toHaveBeenCalledTimes(1);
    expect(state(instance)).not.toBe("open");
  });

  test("says once that jobs of a kind are paused, whichever sessions they fail in", async () => {
    let runs = 0;
    const failing = toAnyJob({
      kind: "k",
      input: () => null,
      async run() {
        runs += 1;
        return { kind: "failed", code: "bad_answer" };
      },
      keep: () => undefined,
    });
    const { instance, context } = await opened([{ jobs: [failing] }]);
    const { sessions } = instance.database.current();
    for (const key of ["1", "2", "3", "4", "5", "6"]) {
      const id = (key < "4" ? "ses_1" : "ses_2") as SessionId;
      sessions.claim(id, "test", 1);
      context.jobs.add({ ...job, key, sessionId: id });
    }
    while (runs < 6) await Bun.sleep(5);
    await instance.close();
    expect(toasts).toEqual([
      'Background jobs of the kind "k" have failed 3 times in a row (bad_answer); the next is tried in an hour. Other jobs and your sessions run as before. `session-runtime jobs` says why, and `session-runtime jobs retry` starts one again.',
    ]);
  });

  test("says where a source of the project's file leads out of the project", async () => {
    const { instance, context } = await opened([{}]);
    context.confined.get("team/a")?.("/elsewhere/key");
    await instance.close();
    expect(toasts).toEqual([
      "test: sources.team/a: /elsewhere/key points outside the project, so it is not read. Fix it and restart.",
    ]);
  });

  test("runs no jobs where the host lets no model be asked, and ends all the same", async () => {
    const { instance, context } = await opened([{}], null);
    expect(instance.runner).toBeNull();
    expect(context.jobs.add(job)).not.toBeNull();
    await instance.close();
    expect(state(instance)).not.toBe("open");
  });
});

function state({ database }: Instance): string {
  try {
    database.current();
    return "open";
  } catch {
    return "closed";
  }
}

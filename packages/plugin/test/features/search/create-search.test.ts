import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type KeepRef, refuseToKeep } from "../../../src/feature-api/extension-point.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import type { Finder } from "../../../src/feature-api/finders.ts";
import { UserFacingError } from "../../../src/feature-api/user-facing-error.ts";
import { createSearchFeature } from "../../../src/features/search/create-search.ts";
import { createIndexFeature } from "../../../src/features/search/index-feature.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { deriveRef, type Ref } from "../../../src/ledger/ref.ts";
import type { Notice } from "../../../src/log/notices.ts";
import { toIndexPath } from "../../../src/search-index/place.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { eventually } from "../../eventually.ts";
import { alreadyKnown } from "../../project/at-work.ts";
import { answers, folder, NOW_MS, onlyPart, quotes, SES, says } from "./stage.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Messages = readonly HostMessage[];

interface Opening {
  readonly path?: string;
  readonly project?: string;
  readonly hostProject?: string;
  /** It is found out only then. */
  readonly late?: Promise<string>;
  readonly keep?: KeepRef;
}

async function makeFeature(
  newest: () => Messages | Promise<Messages> = () => [],
  given: Opening = {},
) {
  const path = given.path ?? join(folder(), "runtime.db");
  const found = alreadyKnown(given.project ?? "project");
  const project = given.late ? { ...found, known: null, id: () => given.late } : found;
  const logged: string[] = [];
  const notices: Notice[] = [];
  const finders: Finder[] = [];
  // What the feature uses of its context.
  const context = {
    location: { directory: "/work", worktree: "/work" },
    project,
    hostProject: given.hostProject ?? "project",
    database: { path },
    notices: { notice: (notice: Notice) => void notices.push(notice), over: () => undefined },
    host: { messages: async () => newest() },
    log: { warn: (code: string) => void logged.push(code) },
    ...{ now: () => NOW_MS, sent: new Map() },
  } as unknown as FeatureContext;
  const feature = await createIndexFeature(context);
  const { index } = feature.provides;
  const { keep = null } = given;
  const { tools } = createSearchFeature(context, {
    index,
    finders,
    keep,
    findMeant: null,
    findSegment: null,
  });
  closers.push(() => void feature.hooks?.closed?.());
  const call = {
    sessionId: SES,
    messageId: "msg_1",
    agent: "build",
    abort: new AbortController().signal,
  };
  const run = async (name: string, given: object) => {
    const tool = tools?.find((one) => one.name === name);
    return (await tool?.run(given, call))?.text ?? "";
  };
  return { feature, run, path: toIndexPath(path), finders, logged, notices };
}

test("a history that was sent is found by the tools, and shown by its ref", async () => {
  const { feature, run } = await makeFeature();
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron nests at 5433")], sent: [] });
  const answer = await run("ctx_search", { query: "heron" });
  expect(answer).toContain("1| the heron nests at 5433");
  const ref = /r:\w{6}/.exec(answer)?.[0];
  expect(await run("ctx_expand", { ref })).toContain("1| the heron nests at 5433");
});

test("what is opened with keep is kept by whoever can, and the answer ends with what came of it", async () => {
  const asked: string[] = [];
  const keep: KeepRef = async (sessionId, ref) => {
    asked.push(`${sessionId} ${ref}`);
    return "Kept.";
  };
  const { feature, run } = await makeFeature(undefined, { keep });
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron nests at 5433")], sent: [] });
  const ref = /r:\w{6}/.exec(await run("ctx_search", { query: "heron" }))?.[0] ?? "";
  for (const given of [{}, { keep: false }, { keep: "false" }])
    expect(await run("ctx_expand", { ref, ...given })).not.toContain("Kept.");
  expect(asked).toEqual([]);
  const answer = await run("ctx_expand", { ref, keep: true });
  expect(answer).toContain("1| the heron nests at 5433");
  expect(answer).toEndWith("\nKept.");
  await run("ctx_expand", { ref: `[${ref}]`, keep: "True" });
  expect(asked).toEqual([`${SES} ${ref}`, `${SES} ${ref}`]);
  expect(await run("ctx_expand", { ref: "no ref", keep: true })).not.toContain("Kept.");
  await expect(run("ctx_expand", { ref, keep: "perhaps" })).rejects.toThrow(
    "The argument keep must be true or false.",
  );
  expect(await refuseToKeep(SES, ref as Ref)).toStartWith("Nothing is dropped here");
});

test("the last answer of a session at rest is found by another session", async () => {
  const { feature, run } = await makeFeature(() => [answers("the heron has left")]);
  await feature.hooks?.settled?.("ses_9" as never);
  expect(await run("ctx_search", { query: "heron", in: "project" })).toContain(
    "the heron has left",
  );
});

test("a host that refuses to list a session's messages costs the user nothing", async () => {
  const { feature, logged, notices } = await makeFeature(() => {
    throw new TypeError("HTTP 400");
  });
  await feature.hooks?.settled?.("ses_9" as never);
  expect(logged).toEqual(["recall.host"]);
  expect(notices).toEqual([]);
});

test("a session that was deleted is not found any more", async () => {
  const { feature, run } = await makeFeature();
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron")], sent: [] });
  await run("ctx_search", { query: "heron" });
  await feature.hooks?.onEvent?.({ kind: "deleted", sessionId: SES });
  expect(await run("ctx_search", { query: "heron", in: "project" })).toStartWith("Nothing found");
});

test("what the host was asked for before a deletion is not indexed after it", async () => {
  const { promise, resolve: deliver } = Promise.withResolvers<Messages>();
  const { feature, run } = await makeFeature(() => promise);
  const settling = feature.hooks?.settled?.(SES);
  await feature.hooks?.onEvent?.({ kind: "deleted", sessionId: SES });
  deliver([answers("the heron")]);
  await settling;
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron")], sent: [] });
  expect(await run("ctx_search", { query: "heron", in: "project" })).toStartWith("Nothing found");
});

test("a folder in the index's place costs the turn a sentence, and is shown to the user, whoever meets it", async () => {
  const { feature, run, path, logged, notices } = await makeFeature();
  mkdirSync(path);
  const refused = run("ctx_search", { query: "heron" });
  await expect(refused).rejects.toThrow(UserFacingError);
  await expect(refused).rejects.toThrow("The search index can't be read now.");
  expect(logged).toEqual(["recall.index_failed"]);
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron")], sent: [] });
  await eventually("the send's work meets it too", () => notices.length === 2);
  const notice = {
    code: "recall_place_taken",
    severity: "warning",
    ends: "by over",
    message: `Session Runtime can't store its search index: ${path} is a folder, and must be a file or not there. Until this is fixed, sessions and commits can't be searched, by words or by meaning.`,
    remedy: `Move it away: mv ${path} ${path}.away`,
  };
  expect(notices).toEqual([notice, notice] as never);
  rmSync(path, { recursive: true });
  expect(await run("ctx_search", { query: "heron" })).toStartWith("Nothing found");
});

test("an index that another process is writing is nothing for the user to mend", async () => {
  const { feature, run, path, logged, notices } = await makeFeature();
  expect(await run("ctx_search", { query: "heron" })).toStartWith("Nothing found");
  const other = openBunDriver(path);
  other.exec("BEGIN IMMEDIATE");
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron")], sent: [] });
  while (logged.length === 0) await Bun.sleep(10);
  other.close();
  expect(logged).toContain("recall.index_failed");
  expect(notices).toEqual([]);
});

test("a page has 200 lines unless more are asked for, and 2,000 at most", async () => {
  const { feature, run } = await makeFeature();
  const lines = Array.from({ length: 2_100 }, (_, at) => `${at}`);
  const long = says(lines.join("\n"));
  feature.hooks?.sent?.({ sessionId: SES, host: [long], sent: [] });
  const ref = deriveRef("r", onlyPart(long).id);
  const shown = async (given: object) => quotes(await run("ctx_expand", { ref, ...given }));
  expect(await shown({})).toEqual(lines.slice(0, 200));
  expect(await shown({ from: 11, lines: 3 })).toEqual(["10", "11", "12"]);
  expect(await shown({ lines: 5_000 })).toHaveLength(2_000);
});

test("a fault that is not the index's own is no refusal", async () => {
  const { run, finders, logged } = await makeFeature();
  const fault = new TypeError("a mistake of ours");
  finders.push({ search: () => Promise.reject(fault), show: () => Promise.reject(fault) });
  await expect(run("ctx_search", { query: "heron" })).rejects.toBe(fault);
  expect(logged).toEqual([]);
});

test("closing lets go of the index", async () => {
  const { feature, run, path } = await makeFeature();
  await run("ctx_search", { query: "heron" });
  expect(existsSync(`${path}-wal`)).toBe(true);
  await feature.hooks?.closed?.();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test("what the index has by the host's name of the project is the project's, and not a fork's", async () => {
  const path = join(folder(), "runtime.db");
  const opening = (project: string) =>
    makeFeature(() => [], { path, project, hostProject: "c0ffee" });
  const first = await makeFeature(() => [], { path, project: "c0ffee", hostProject: "none" });
  first.feature.hooks?.sent?.({ sessionId: "ses_9" as never, host: [says("the heron")], sent: [] });
  const asked = { query: "heron", in: "project" };
  expect(await first.run("ctx_search", asked)).toContain("the heron");
  const fork = await opening("commit:c0ffee~f0");
  expect(await fork.run("ctx_search", asked)).toStartWith("Nothing found");
  const shop = await opening("commit:c0ffee");
  expect(await shop.run("ctx_search", asked)).toContain("the heron");
});

test("a session that was another project's is its own project's once it is at work there", async () => {
  const path = join(folder(), "runtime.db");
  const said = { sessionId: SES, host: [says("the heron")], sent: [] };
  const tree = await makeFeature(() => said.host, { path, project: "/tree" });
  tree.feature.hooks?.sent?.(said);
  const asked = { query: "heron", in: "project" };
  expect(await tree.run("ctx_search", asked)).toContain("the heron");
  const shop = await makeFeature(() => said.host, { path, project: "commit:c0ffee" });
  await shop.feature.hooks?.settled?.(SES);
  expect(await shop.run("ctx_search", asked)).toStartWith("Nothing found");
  shop.feature.hooks?.sent?.(said);
  expect(await shop.run("ctx_search", asked)).toContain("the heron");
  expect(await tree.run("ctx_search", asked)).toStartWith("Nothing found");
});

test("a history whose project is only being found is indexed when it is, and a session that is deleted meanwhile is not", async () => {
  const late = Promise.withResolvers<string>();
  const { feature, run, logged } = await makeFeature(() => [], { late: late.promise });
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron")], sent: [] });
  feature.hooks?.sent?.({ sessionId: "ses_9" as never, host: [says("the heron left")], sent: [] });
  void feature.hooks?.onEvent?.({ kind: "deleted", sessionId: "ses_9" as never });
  const answer = run("ctx_search", { query: "heron", in: "project" });
  late.resolve("commit:c0ffee");
  expect(await answer).toContain("1| the heron");
  expect(await answer).not.toContain("left");
  expect(logged).toEqual([]);
});

test("where the project can't be found out nothing is indexed, and that is logged", async () => {
  const { feature, logged } = await makeFeature(() => [], {
    late: Promise.reject(new Error("no git")),
  });
  feature.hooks?.sent?.({ sessionId: SES, host: [says("the heron")], sent: [] });
  await eventually("it is logged", () => logged.length > 0);
  expect(logged).toEqual(["recall.index_failed"]);
});

test("nothing is made before something was sent or asked", async () => {
  const { path } = await makeFeature();
  expect(existsSync(path)).toBe(false);
});

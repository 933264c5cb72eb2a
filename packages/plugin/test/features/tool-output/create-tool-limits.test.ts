import { expect, test } from "bun:test";
import type { OfferedCall } from "../../../src/feature-api/extension-point.ts";
import { createToolLimitsFeature } from "../../../src/features/tool-output/create-tool-limits.ts";
import type { Notice } from "../../../src/log/notices.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();
const ignore = () => undefined;
const DAY_MS = 86_400_000;
const own = ["ctx_search", "ctx_expand", "ctx_note"];
const call: OfferedCall = {
  ...{ sessionId: session, agent: "build", providerId: "acme", modelId: "large" },
  ...{ own, others: null },
};
const tooMany = (sent: number) =>
  `Invalid 'tools': array too long. Expected an array with maximum length 64, but got an array with length ${sent} instead.`;

function opened(database: RuntimeDatabase, directory = "/project") {
  const clock = { nowMs: 1_000 };
  const shown = new Map<string, Notice>();
  const { hooks, provides } = createToolLimitsFeature({
    database: { current: () => database, ensure: async () => undefined, path: "" },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    notices: {
      notice: (notice) => void shown.set(notice.code, notice),
      over: (code) => void shown.delete(code),
    },
    location: { directory, worktree: directory },
    now: () => clock.nowMs,
  });
  return {
    ...{ clock, hooks, withheldTools: provides.withheldTools },
    refused: (...said: readonly string[]) =>
      hooks.onEvent?.({ kind: "refused", sessionId: session, said, model: null }),
    gone: () => hooks.serverGone?.(),
    notices: () => [...shown.values()].map(({ message }) => message),
  };
}

test("a refusal is heeded at the next call, for its folder, agent and model alone, and survives the process", async () => {
  const { path, database } = workspace.withEpoch();
  const feature = opened(database);
  expect(feature.withheldTools(call)).toEqual([]);
  await feature.refused("Bad Request", tooMany(66));
  // The user knows before the next call.
  expect(feature.notices()).toEqual([
    "acme accepts at most 64 tools in a call, and more are enabled. Session Runtime leaves out these of its own: ctx_note, ctx_expand.",
  ]);
  expect(feature.withheldTools(call)).toEqual(["ctx_note", "ctx_expand"]);
  expect(feature.withheldTools({ ...call, agent: "plan" })).toEqual([]);
  expect(feature.withheldTools({ ...call, modelId: "small" })).toEqual([]);
  const other = opened(workspace.open(path));
  expect(other.withheldTools(call)).toEqual(["ctx_note", "ctx_expand"]);
  expect(opened(workspace.open(path), "/other").withheldTools(call)).toEqual([]);
});

test("what a refused call was left without counts: a second refusal takes what is still too much", async () => {
  const feature = opened(workspace.withEpoch().database);
  feature.withheldTools(call);
  await feature.refused(tooMany(65));
  expect(feature.withheldTools(call)).toEqual(["ctx_note"]);
  await feature.refused(tooMany(66));
  expect(feature.withheldTools(call)).toEqual(own.toReversed());
});

test("the notice goes when nothing of ours is left out any more", async () => {
  const feature = opened(workspace.withEpoch().database);
  const bounded = { ...call, providerId: "openai" };
  feature.withheldTools({ ...bounded, others: 126 });
  expect(feature.notices()).toHaveLength(1);
  feature.withheldTools({ ...bounded, others: 127 });
  expect(feature.notices()).toEqual([expect.stringContaining("ctx_note, ctx_expand.")]);
  feature.withheldTools({ ...bounded, others: 12 });
  expect(feature.notices()).toEqual([]);
});

test("after a server is gone, and after seven days, all are offered again", async () => {
  const { database } = workspace.withEpoch();
  const feature = opened(database);
  feature.withheldTools(call);
  await feature.refused(tooMany(65));
  await feature.gone();
  expect(feature.withheldTools(call)).toEqual([]);
  await feature.refused(tooMany(65));
  const later = opened(database);
  later.clock.nowMs += 7 * DAY_MS;
  expect(later.withheldTools(call)).toEqual(["ctx_note"]);
  const tooLate = opened(database);
  tooLate.clock.nowMs += 7 * DAY_MS + 1;
  expect(tooLate.withheldTools(call)).toEqual([]);
});

test("a refusal for something else, and one of a session that is gone, say nothing of tools", async () => {
  const feature = opened(workspace.withEpoch().database);
  feature.withheldTools(call);
  await feature.refused("prompt is too long: 70000 tokens > 60000 maximum");
  await feature.hooks.onEvent?.({ kind: "deleted", sessionId: session });
  await feature.refused(tooMany(65));
  expect(feature.withheldTools(call)).toEqual([]);
  expect(feature.notices()).toEqual([]);
});

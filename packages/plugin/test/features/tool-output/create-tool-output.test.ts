import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { createToolOutputFeature } from "../../../src/features/tool-output/create-tool-output.ts";
import {
  buildManagedName,
  NAME_BYTES,
  resolveHostOutputPlace,
} from "../../../src/features/tool-output/managed-files.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 10, 23, 12);
const call = { tool: "grep", callId: "c" };

let data = "";
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "tool-output-feature-"));
  setSystemTime(NOW_MS);
});
afterEach(() => {
  setSystemTime();
  rmSync(data, { recursive: true });
});

const folder = () => join(data, "opencode/tool-output");

/** An expired file of ours. */
function oldFile(index: number, ageDays: number): string {
  mkdirSync(folder(), { recursive: true });
  const path = join(folder(), buildManagedName(index, new Uint8Array(NAME_BYTES)));
  writeFileSync(path, "old");
  const then = (NOW_MS - ageDays * DAY_MS) / 1000;
  utimesSync(path, then, then);
  return path;
}

function opened(toolOutput: object = {}) {
  const said: unknown[] = [];
  const noted: unknown[] = [];
  const jobs: Promise<unknown>[] = [];
  const log = (level: string) => (event: string, facts: object) => said.push([level, event, facts]);
  const context = {
    config: { toolOutput: { enabled: true, ...toolOutput } },
    host: {
      outputLimits: () => ({ maxLines: 20, maxBytes: 1_000 }),
      outputPlace: resolveHostOutputPlace({ XDG_DATA_HOME: data }, "/nobody"),
    },
    log: { info: log("info"), warn: log("warn"), error: log("error") },
    notices: {
      notice: (notice: { code: string }) => said.push(["notice", notice.code]),
      over: (code: string) => said.push(["over", code]),
    },
    traces: {
      traceJob: (about: object, work: (note: (facts: object) => void) => Promise<void>) => {
        noted.push(about);
        jobs.push(work((facts) => noted.push(facts)));
      },
    },
  } as unknown as FeatureContext;
  const feature = createToolOutputFeature(context);
  const settle = async (lines: number) => {
    const result = { output: "line\n".repeat(lines), metadata: {} };
    await feature.hooks?.toolSettled?.(call as never, result);
    await Promise.all(jobs);
    return result.output.split("\n").length;
  };
  return { feature, settle, said, noted };
}

test("switched off it does nothing", () => {
  expect(opened({ enabled: false }).feature).toEqual({ provides: { boundFailure: null } });
});

describe("the limit", () => {
  test("is the host's, and the user's where that is stricter", async () => {
    expect(await opened().settle(100)).toBe(20);
    expect(await opened({ maxLines: 15 }).settle(100)).toBe(15);
    expect(await opened({ maxLines: 50 }).settle(100)).toBe(20);
    expect(await opened({ maxBytes: 40 }).settle(20)).toBe(1);
  });

  test("holds for what failed calls say", async () => {
    const { feature } = opened();
    expect(feature.provides.boundFailure?.(call, "short")).toBeNull();
    const bounded = await feature.provides.boundFailure?.(call, "error\n".repeat(100));
    expect(bounded?.split("\n")).toHaveLength(20);
  });
});

describe("expired files", () => {
  test("F7: are removed after a call, and that is logged and traced", async () => {
    const [old, fresh] = [oldFile(1, 8), oldFile(2, 6)];
    const { settle, said, noted } = opened();
    await settle(1);
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
    expect(said).toEqual([["info", "tool_output.expired", { removed: 1 }]]);
    const job = { name: "retention", sessionId: null };
    expect(noted).toEqual([job, { "session_runtime.retention.removed": 1 }]);
  });

  test("F7: are looked for once an hour, and nothing is said where there are none", async () => {
    const { settle, said } = opened();
    await settle(1);
    for (const [laterMs, isThere] of [
      [HOUR_MS - 1, true],
      [HOUR_MS, false],
      [2 * HOUR_MS - 1, true],
      [2 * HOUR_MS, false],
    ] as const) {
      const old = oldFile(laterMs, 8);
      setSystemTime(NOW_MS + laterMs);
      await settle(1);
      expect(existsSync(old)).toBe(isThere);
    }
    expect(said).toHaveLength(2);
  });
});

test("F6: a text that can't be stored is logged, and the user is told where and why", async () => {
  writeFileSync(join(data, "opencode"), "a file where the folder should be");
  const { settle, said } = opened();
  await settle(100);
  const facts = { tool: "grep", bytes: 500, reason: "ENOTDIR", folder: folder() };
  expect(said).toEqual([
    ["error", "tool_output.not_stored", facts],
    ["notice", "tool_output_not_stored:ENOTDIR"],
  ]);
  rmSync(join(data, "opencode"));
  await settle(100);
  await settle(100);
  expect(said.slice(2)).toEqual([["over", "tool_output_not_stored:ENOTDIR"]]);
});

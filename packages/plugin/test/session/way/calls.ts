// Three calls of a session on the kernel alone, with the way of each newest prompt up to its send, as JSON.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRuntimeDatabase } from "../../../src/storage/open.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { composeSchema } from "../../../src/storage/schema.ts";
import { history, hostSystem, MODEL, runtimeOver } from "../../kernel/session.ts";
import { type Stay, way } from "./marks.ts";

/** One that opens the epoch, one that announces the new day, and one that decides nothing. */
export type Ways = Readonly<Record<"opening" | "update" | "quiet", readonly Stay[]>>;

const DAY_MS = 86_400_000;
const sessionId = "ses_1" as SessionId;

async function waysIn(folder: string): Promise<Ways> {
  const path = join(folder, "runtime.db");
  const { database } = await openRuntimeDatabase({ path, schema: composeSchema([]) });
  let nowMs = Date.UTC(2026, 10, 20, 12);
  let after: (() => void)[] = [];
  const runtime = runtimeOver(
    database,
    () => nowMs,
    (work) => void after.push(work),
  );
  const call = async (at: number, pauseMs: number) => {
    const messages = history.slice(0, 2 * at + 1);
    nowMs += pauseMs;
    way.stays = [];
    way.messageId = messages.at(-1)?.info.id ?? null;
    await runtime.projectHistory(messages);
    runtime.composeSystem({ sessionId, model: MODEL, strings: [hostSystem(nowMs)] });
    way.messageId = null;
    for (const work of after) work();
    after = [];
    return way.stays;
  };
  const ways = {
    opening: await call(0, 1),
    update: await call(1, DAY_MS),
    quiet: await call(2, 1),
  };
  database.close();
  return ways;
}

const folder = mkdtempSync(join(tmpdir(), "session-runtime-way-"));
console.log(JSON.stringify(await waysIn(folder)));
rmSync(folder, { recursive: true });

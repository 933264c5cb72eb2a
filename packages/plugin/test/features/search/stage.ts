import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Finder,
  Finders,
  type FindSegment,
  findNoSegment,
  findNoSemanticMatch,
  type SemanticSearch,
} from "../../../src/feature-api/finders.ts";
import { HistoryIndex } from "../../../src/features/search/index-feature.ts";
import { Indexer } from "../../../src/features/search/indexer.ts";
import { Recall } from "../../../src/features/search/recall.ts";
import type { HostMessage, HostPart, TextPart, ToolPart } from "../../../src/ledger/message.ts";
import type { SentHistory } from "../../../src/ledger/revise.ts";
import { IndexFile } from "../../../src/search-index/file.ts";
import type { OpenDriver } from "../../../src/storage/driver.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { alreadyKnown } from "../../project/at-work.ts";

export const SES = "ses_1" as SessionId;
export const NOW_MS = Date.UTC(2025, 5, 1, 12);

const folders: string[] = [];
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers.splice(0)) close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "session-runtime-recall-"));
  folders.push(made);
  return made;
}

export interface StageOptions {
  readonly path?: string;
  readonly project?: string;
  readonly openDriver?: OpenDriver;
}

export function makeStage(options: StageOptions = {}) {
  const path = options.path ?? join(folder(), "runtime.recall.db");
  const openDriver = options.openDriver ?? openBunDriver;
  const slices: (() => void)[] = [];
  const failures: unknown[] = [];
  const begunAgain: string[] = [];
  const found: Finder[] = [];
  const finders = new Finders(found);
  const semantic: { find: SemanticSearch } = { find: findNoSemanticMatch };
  const segments: { find: FindSegment } = { find: findNoSegment };
  const kept = new Map<SessionId, SentHistory>();
  let clockMs = 0;
  const file = new IndexFile({
    ...{ path, openDriver },
    notice: ({ code }) => begunAgain.push(code),
    over: () => undefined,
  });
  closers.push(() => file.close());
  const indexer = new Indexer({
    file,
    directory: "/work",
    later: (work) => slices.push(work),
    // A moment passes at each look, so that slices end where they end whatever else runs.
    nowMs: () => {
      clockMs += 1;
      return clockMs;
    },
    failed: (error) => failures.push(error),
  });
  const project = alreadyKnown(options.project ?? "project");
  const histories = new HistoryIndex({
    ...{ file, indexer, project, sent: kept },
    failed: (error) => failures.push(error),
  });
  const recall = new Recall({
    index: { file, idle: (patienceMs) => indexer.awaitIdle(patienceMs) },
    ...{ project, finders },
    findMeant: (...asked) => semantic.find(...asked),
    findSegment: (...asked) => segments.find(...asked),
    nowMs: () => NOW_MS,
    sent: kept,
  });
  /** As the instance does: what was sent is kept before features hear of it. */
  function hear(sessionId: SessionId, history: SentHistory): void {
    kept.set(sessionId, history);
    histories.indexSent(sessionId, history.host);
  }
  /** Runs slices until nothing waits; returns how many. */
  function index(): number {
    let count = 0;
    for (let work = slices.shift(); work; work = slices.shift()) {
      work();
      count += 1;
    }
    return count;
  }
  /** Takes the history in, as one of which nothing is shown any more. */
  function add(messages: readonly HostMessage[], sessionId = SES): number {
    hear(sessionId, { host: messages, sent: [] });
    return index();
  }
  return {
    finders,
    found,
    semantic,
    segments,
    kept,
    hear,
    path,
    file,
    indexer,
    recall,
    histories,
    slices,
    failures,
    begunAgain,
    index,
    add,
  };
}

let made = 0;
function next(): string {
  made += 1;
  return String(made).padStart(6, "0");
}

/** Each message is made an hour before now, unless said. */
function message(
  role: "user" | "assistant",
  agoMs: number,
  parts: readonly LoosePart[],
): HostMessage {
  const id = `msg_${next()}`;
  const info = { id, sessionID: SES, role, time: { created: NOW_MS - agoMs } };
  return { info, parts: parts.map((part) => placed(id, part)) };
}

type LoosePart =
  | Omit<TextPart, "id" | "messageID" | "sessionID">
  | Omit<ToolPart, "id" | "messageID" | "sessionID">;

function placed(messageID: string, part: LoosePart): HostPart {
  return { id: `prt_${next()}`, messageID, sessionID: SES, ...part };
}

const HOUR_MS = 3_600_000;

export function says(words: string, agoMs = HOUR_MS): HostMessage {
  return message("user", agoMs, [{ type: "text", text: words }]);
}

export function answers(words: string, agoMs = HOUR_MS): HostMessage {
  return message("assistant", agoMs, [{ type: "text", text: words }]);
}

export function ran(tool: string, input: unknown, output: string, agoMs = HOUR_MS): HostMessage {
  const state = { status: "completed", input, output, time: { start: 1, end: 2 } } as const;
  return message("assistant", agoMs, [{ type: "tool", tool, callID: `call_${next()}`, state }]);
}

export function failed(tool: string, input: unknown, error: string): HostMessage {
  const state = { status: "error", input, error } as const;
  return message("assistant", HOUR_MS, [{ type: "tool", tool, callID: `call_${next()}`, state }]);
}

export function open(tool: string, input: unknown): HostMessage {
  return message("assistant", HOUR_MS, [
    { type: "tool", tool, callID: `call_${next()}`, state: { status: "running", input } },
  ]);
}

/** Of the only part. */
export function onlyPart({ parts }: HostMessage): HostPart {
  const [part] = parts;
  if (!part) throw new Error("the message has no part");
  return part;
}

/** The quoted lines of an answer, without their numbers. */
export function quotes(answer: string): readonly string[] {
  return answer.split("\n").flatMap((line) => line.match(/^\d+\| (.*)$/)?.[1] ?? []);
}

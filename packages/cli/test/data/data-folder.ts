import { afterEach } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selectInboxStores } from "@session-runtime/opencode/features/inbox/inbox-deps";
import type { RuntimeDatabase } from "@session-runtime/opencode/storage/database";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { openRuntimeDatabaseWith } from "@session-runtime/opencode/storage/open";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { inputRecord } from "../../../plugin/test/features/inbox/records.ts";
import { schema } from "../../../plugin/test/schema.ts";
import { makeDevelopmentDatabase } from "../../../plugin/test/storage/development-database.ts";
import { newDatabase } from "../../../plugin/test/storage/new-database.ts";
import {
  briefRecord,
  entryRecord,
  epochRecord,
  turnRecord,
  usage,
} from "../../../plugin/test/storage/records.ts";
import { type CommandOutput, runCli, runRerun } from "../command-line.ts";
import { runHere } from "../in-process.ts";

/** Throwaway homes with databases that the real stores have made; all gone after each test. */
export class DataFolders {
  #folders: string[] = [];
  #closers: (() => void)[] = [];

  constructor() {
    afterEach(() => {
      for (const close of this.#closers.splice(0)) close();
      for (const folder of this.#folders.splice(0))
        rmSync(folder, { recursive: true, force: true });
    });
  }

  make(): DataFolder {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-data-")));
    this.#folders.push(home);
    const path = join(home, ".local/share/session-runtime/runtime.db");
    mkdirSync(join(path, ".."), { recursive: true });
    return new DataFolder(home, path, this.#closers);
  }
}

export class DataFolder {
  constructor(
    readonly home: string,
    readonly path: string,
    private readonly closers: (() => void)[],
  ) {}

  /** The database, made where there is none, and open until the test ends. */
  open(): RuntimeDatabase {
    const { path } = this;
    if (!existsSync(path)) writeFileSync(path, newDatabase(), { mode: 0o600 });
    const opening = { path, schema, openDriver: openBunDriver, nowMs: Date.now };
    const { database } = openRuntimeDatabaseWith(opening);
    this.closers.push(database.close);
    return database;
  }

  /** The database as the last development version had it. */
  makeDevelopment(): void {
    makeDevelopmentDatabase(this.path);
  }

  /** The command line in this home; in long runs as the process that it is, as `runAsProcess`. */
  run(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandOutput> {
    if (process.env.LONG === "1") return this.runAsProcess(words, env);
    return runHere(words, this.#env(env), this.home);
  }

  /** The command line as it is published, where it has got to the SQLite of the host's own binary. */
  runAsProcess(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandOutput> {
    return runRerun(words, this.#env(env), this.home);
  }

  /** The same as it is typed. */
  runUnderNode(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandOutput> {
    return runCli(words, this.#env(env), this.home);
  }

  #env(env: Readonly<Record<string, string>>) {
    return { HOME: this.home, OPENCODE_BIN: hostBinary(), ...env };
  }
}

export const first = "ses_first" as SessionId;
export const second = "ses_second" as SessionId;

/** A session with two epochs, an update, a reminder, a witness, three calls, prompts and a brief. */
export function storeSession(
  database: RuntimeDatabase,
  sessionId: SessionId,
  startMs: number,
): void {
  const { ledger, turns, briefs, forms } = database;
  const { inbox } = selectInboxStores(database);
  const epoch = { ...epochRecord(1, sessionId), startedAtMs: startMs };
  ledger.commit({ sessionId, expectedSeq: 0, epoch, entries: [] });
  turns.append({ ...turnRecord(startMs, 1, sessionId), newMessageIds: ["msg_1"] });
  settle(database, sessionId, startMs);
  const update = { ...entryRecord(2, 1, sessionId), messageId: "msg_2", partId: null };
  const reminder = {
    ...entryRecord(3, 1, sessionId),
    origin: "hold-reminders",
    messageId: "msg_2",
    partId: null,
    announced: [],
    delta: {},
  };
  const shown = { origin: "record-shown", messageId: "msg_gone", edit: null };
  const witness = { ...entryRecord(4, 1, sessionId), ...shown };
  const secondMs = startMs + 20_000;
  const entries = [update, reminder, witness].map((entry) => ({ ...entry, decidedAtMs: secondMs }));
  ledger.commit({ sessionId, expectedSeq: 1, epoch: null, entries });
  turns.append({ ...turnRecord(secondMs, 1, sessionId), newMessageIds: ["msg_a", "msg_2"] });
  settle(database, sessionId, secondMs);
  const thirdMs = startMs + 40_000;
  const next = { ...epochRecord(5, sessionId), startedAtMs: thirdMs };
  ledger.commit({ sessionId, expectedSeq: 4, epoch: next, entries: [] });
  const bust = "a new epoch began";
  turns.append({ ...turnRecord(thirdMs, 5, sessionId), newMessageIds: ["msg_summary"], bust });
  briefs.append(briefRecord("msg_compaction", sessionId));
  inbox.admit({
    ...inputRecord(`msg_steer_${sessionId}`, "steer"),
    sessionId,
    admittedAtMs: startMs,
  });
  inbox.promote([`msg_steer_${sessionId}`], startMs + 1);
  const owner = { sessionId, providerId: "anthropic", modelId: "claude-sonnet-4-5" };
  forms.decide(owner, [{ entrySeq: 2, form: "native", cause: "first" }], secondMs);
}

function settle({ turns }: RuntimeDatabase, sessionId: SessionId, sentAtMs: number): void {
  turns.settle(sessionId, { usage, cost: null, bust: null, sentAtMs });
}

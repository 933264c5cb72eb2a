// A runner over a real database, before a host of the tests.
import { type JobEnd, type ModelPort, toAnyJob } from "../../src/feature-api/job.ts";
import type { JobHost, Reply } from "../../src/jobs/child-port.ts";
import type { Breaker, JobBudgets, JobSource } from "../../src/jobs/plan.ts";
import { JobRunner } from "../../src/jobs/runner.ts";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { type JobRecord, jobTable } from "../../src/storage/job-records.ts";
import { createJobStore } from "../../src/storage/job-store.ts";
import { createProposalStore } from "../../src/storage/ledger-store.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";
import { FakeClock, quiet } from "../features/inbox/fake-clock.ts";
import { session } from "../storage/records.ts";
import type { Workspace } from "../storage/workspace.ts";

export const BOARD = "/project";
export const PROJECT = "folder:/project" as ProjectId;

export const word = (text: string): Reply => ({
  ...{ kind: "text", text, ending: "whole", inputTokens: 20, outputTokens: 5 },
});

export const refusal = (code: Extract<Reply, { kind: "error" }>["code"]): Reply => ({
  ...{ kind: "error", code, inputTokens: 0, outputTokens: 0 },
});

/** A host whose models answer as a test says; it keeps what is done to its sessions. */
export class FakeJobHost implements JobHost {
  readonly done: string[] = [];
  /** How often it was asked which sessions are there. */
  listed = 0;
  /** Sessions that are there, with their jobs. */
  readonly there = new Map<SessionId, number>();
  model: JobHost["model"] = async () => "mock/small";
  answer: (prompt: string) => Promise<Reply> = async () => word("<word>yes</word>");
  #opened = 0;
  #waiting = new Map<SessionId, (reply: Reply) => void>();

  async open(jobId: number, parent: SessionId | null): Promise<SessionId> {
    this.#opened += 1;
    const id = `ses_child${this.#opened}` as SessionId;
    this.there.set(id, jobId);
    this.done.push(`open for ${parent}`);
    return id;
  }

  prompt(id: SessionId, { prompt }: Parameters<JobHost["prompt"]>[1]): Promise<Reply> {
    this.done.push(`prompt ${prompt}`);
    const aborted = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    return Promise.race([this.answer(prompt), aborted]);
  }

  async abort(id: SessionId): Promise<void> {
    this.done.push("abort");
    this.#waiting.get(id)?.(refusal("stopped"));
  }

  async remove(id: SessionId): Promise<void> {
    this.done.push("remove");
    this.there.delete(id);
  }

  async children() {
    this.listed += 1;
    return [...this.there].map(([childId, jobId]) => ({ childId, jobId }));
  }
}

interface Input {
  readonly question: string;
}

/** Asks once, and once more; what it is told it hands on. */
const job = toAnyJob<Input, string>({
  kind: "word",
  input: (stored) => stored as Input,
  async run(port: ModelPort, { question }, attempt): Promise<JobEnd<string>> {
    if (question === "throw") throw new TypeError("no such thing");
    if (question.startsWith("fail: ")) return { kind: "failed", code: question.slice(6) };
    for (let time = 0; time < 9; time += 1) {
      const timeoutMs = question === "slow" ? 300_000 : 5_000;
      const model = question === "named" ? "mock/named" : null;
      const options = { timeoutMs, maxOutputTokens: 500, model };
      const answer = await port.ask({ system: "Say a word.", prompt: question }, options);
      if (answer.kind === "failed") {
        const kind = question === "two attempts" && attempt === 2 ? "given_up" : "failed";
        return { kind, code: answer.code };
      }
      if (answer.text.startsWith("<word>")) return { kind: "done", output: answer.text };
    }
    return { kind: "failed", code: "nine_answers" };
  },
  keep(driver, output, { sessionId, kind, urgency }) {
    if (sessionId === null) return;
    createProposalStore(driver).add({ sessionId, kind, urgency, output }, 0);
  },
});

/** The same work, whose output belongs to another table: a job of the first kind stands for it. */
const kept = toAnyJob<Input, string>({
  kind: "kept",
  input: (stored) => stored as Input,
  run: async () => ({ kind: "done", output: "words" }),
  keep(driver, output, { board: worker, project, sessionId, model, id }) {
    const input = { question: `${output} of ${id} by ${model}` };
    const row = {
      kind: "elsewhere",
      board: worker,
      project,
      sessionId,
      key: "kept",
      urgency: "waits",
    } as const;
    createJobStore(driver).add({ ...row, input, subject: null }, 0);
  },
});

export interface JobStage {
  readonly runner: JobRunner;
  readonly host: FakeJobHost;
  readonly clock: FakeClock;
  readonly database: RuntimeDatabase;
  readonly settled: SessionId[];
  readonly opened: Breaker[];
  readonly closed: JobSource[];
  readonly failures: string[];
  /** How many timers have neither run nor been called off. */
  timers(): number;
  add(question: string, sessionId?: SessionId | null, kind?: "word" | "kept"): number;
  row(id: number): JobRecord;
  /** Something has happened; all that can go on does. */
  wake(): Promise<void>;
}

interface StageSettings {
  readonly path: string;
  readonly worker: string;
  readonly project: () => Promise<ProjectId>;
  /** Whose its jobs are as they are added; null: nobody knows yet. */
  readonly of: ProjectId | null;
  readonly owner: string;
  readonly host: FakeJobHost;
  readonly clock: FakeClock;
  readonly budgets: JobBudgets;
  readonly isGone: (owner: string) => boolean;
  readonly ensure: () => Promise<void>;
}

let keys = 0;

export function openJobStage(workspace: Workspace, given: Partial<StageSettings> = {}): JobStage {
  const host = given.host ?? new FakeJobHost();
  const clock = given.clock ?? new FakeClock();
  const database = workspace.open(given.path ?? workspace.path(), openBunDriver);
  const settled: SessionId[] = [];
  const opened: Breaker[] = [];
  const failures: string[] = [];
  const closed: JobSource[] = [];
  const timers = new Set<object>();
  const runner = new JobRunner({
    worked: () => undefined,
    closed: (source) => void closed.push(source),
    ensure: given.ensure ?? (async () => undefined),
    store: () => database.jobs,
    host,
    kinds: () => [job, kept],
    worker: given.worker ?? BOARD,
    project: given.project ?? (async () => PROJECT),
    owner: given.owner ?? "one",
    isProcessDead: given.isGone ?? (() => false),
    budgets: given.budgets ?? { tokensPerDay: 1_000_000, tokensPerSession: 1_000_000 },
    now: clock.now,
    settled: (sessionId) => settled.push(sessionId),
    opened: (_job, breaker) => opened.push(breaker),
    failed: (where, error) => failures.push(`${where}: ${String(error)}`),
    traced: async (_job, run) => void (await run()),
    timer: (work, delayMs) => {
      const timer = {};
      timers.add(timer);
      clock.later(() => {
        if (timers.delete(timer)) work();
      }, delayMs);
      return () => void timers.delete(timer);
    },
  });
  const all = () => database.store((driver) => jobTable.in(driver)).list({}, "id");
  return {
    ...{
      runner,
      host,
      clock,
      database,
      settled,
      opened,
      closed,
      failures,
      timers: () => timers.size,
    },
    add(question, sessionId = session, kind = "word") {
      keys += 1;
      const work = {
        kind,
        board: given.worker ?? BOARD,
        project: given.of === undefined ? PROJECT : given.of,
        sessionId,
        key: `key ${keys}`,
      };
      const asked = { urgency: "waits", input: { question }, subject: null } as const;
      const id = database.jobs.add({ ...work, ...asked }, clock.now());
      if (id === null) throw new Error("The job is there already");
      return id;
    },
    row(id) {
      const found = all().find((one) => one.id === id);
      if (!found) throw new Error(`There is no job ${id}`);
      return found;
    },
    async wake() {
      runner.wake();
      await clock.pass(1);
      await quiet();
    },
  };
}

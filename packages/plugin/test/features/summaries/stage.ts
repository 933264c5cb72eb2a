// The historian's job and its watch over a real database, with a model that answers as a test says.

import type { JobToAdd } from "../../../src/feature-api/feature-context.ts";
import {
  type Answer,
  type AnyJob,
  type AskFailure,
  type AskOptions,
  buildModelChain,
  createFailedAnswer,
  type ModelPort,
  type Question,
} from "../../../src/feature-api/job.ts";
import { defineFactsJob, type MemoryPort } from "../../../src/features/summaries/memory-port.ts";
import {
  createSegmentReader,
  createSegmentStore,
} from "../../../src/features/summaries/segment-store.ts";
import type { SegmentRecord } from "../../../src/features/summaries/segment-table.ts";
import { SummaryWatch } from "../../../src/features/summaries/watch.ts";
import { defineWriteJob, type WriteDeps } from "../../../src/features/summaries/write-job.ts";
import { measureParts } from "../../../src/history/measured-history.ts";
import { countWorkTokens } from "../../../src/history/work.ts";
import type { HostMessage } from "../../../src/ledger/message.ts";
import { type Project, toFolderId } from "../../../src/project/project.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { JobRecord } from "../../../src/storage/job-records.ts";
import { createJobStore } from "../../../src/storage/job-store.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { called } from "../../history/calls.ts";
import { assistant, text, user } from "../../ledger/history.ts";
import type { Workspace } from "../../storage/workspace.ts";
import { segmentXml, wrapInHistory } from "./answers.ts";

export const PROJECT = "/project";
export const PLACE = { board: PROJECT, project: toFolderId(PROJECT) };
const OWN: Project = { id: PLACE.project, name: "project", worktree: PROJECT };
export const session = "ses_1" as SessionId;

/** Turns of about so many tokens, two messages each: m1 and m2, m3 and m4, and so on. */
export function turns(count: number, tokens = 1_000, id = session): HostMessage[] {
  return Array.from({ length: count }, (_, turn) => {
    const output = `line of ${turn}\n`.repeat(tokens).slice(0, tokens * 4);
    return [
      user(`u${turn}`, text(`Do ${turn}.`)),
      assistant(
        `a${turn}`,
        text(`Did ${turn}.`),
        called("bash", { command: `run ${turn}` }, output),
      ),
    ];
  })
    .flat()
    .map((message) => ({ ...message, info: { ...message.info, sessionID: id } }));
}

/** How many messages a request gives. */
export function given({ prompt }: Question): number {
  return [...prompt.matchAll(/<message id="m(\d+)"/g)].length;
}

/** As a good model: segments of four messages. */
export function wellWritten(asked: Question, ...more: readonly string[]): string {
  const count = given(asked);
  const starts = Array.from({ length: Math.ceil(count / 4) }, (_, index) => 4 * index + 1);
  return wrapInHistory(
    ...starts.map((from) => segmentXml(from, Math.min(from + 3, count))),
    ...more,
  );
}

const MAX_ATTEMPTS = 3;

/** The end of a process in the middle of a transaction. */
class KilledProcess extends Error {}

export interface AskedCall extends Question, AskOptions {}

type AnswerScript = string | { readonly fails: AskFailure };

export class HistorianStage {
  readonly calls: AskedCall[] = [];
  readonly notes: string[] = [];
  readonly children = new Set<SessionId>();
  foldIsNear = false;
  /** Whether the process ends at a moment of an attempt. */
  dies: (moment: "taken" | "answered" | "settling" | "written") => boolean = () => false;
  /** How often it was asked whether a fold is near. */
  looks = 0;
  messages: readonly HostMessage[] = turns(30);
  answer: (call: AskedCall) => AnswerScript = (call) => wellWritten(call);
  readonly path: string;
  readonly driver;
  readonly watch: SummaryWatch;
  readonly read;
  readonly deps: WriteDeps;
  #clockMs = 1_000;
  readonly #kinds: ReadonlyMap<string, AnyJob>;

  constructor(
    workspace: Workspace,
    given: {
      readonly memory?: MemoryPort | null;
      readonly models?: readonly string[];
      /** Of another process's database. */
      readonly path?: string;
      readonly project?: Project;
      readonly leastTokens?: number;
    } = {},
  ) {
    this.path = given.path ?? workspace.path();
    workspace.open(this.path);
    this.driver = openBunDriver(this.path);
    this.driver.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF");
    const store = () => createSegmentStore(this.driver);
    const sizes = { batchTokens: 8_000, keepTokens: 4_000 };
    this.read = createSegmentReader({
      ...{ store, project: () => PLACE.project },
      failed: (error) => this.notes.push(String(error)),
    });
    this.watch = new SummaryWatch({
      ...{ store, read: this.read, ...sizes, leastTokens: given.leastTokens ?? 0 },
      workTokens: (messages) => countWorkTokens(messages, measureParts),
      add: (job) => void this.add(job),
      isChild: async (id) => this.children.has(id),
      foldNears: async () => {
        this.looks += 1;
        return this.foldIsNear;
      },
    });
    const memory = given.memory ?? null;
    this.deps = {
      ...{
        store,
        ...sizes,
        timeoutMs: 5_000,
        project: async () => given.project ?? OWN,
        directory: PROJECT,
      },
      models: buildModelChain(given.models ?? [], [null]),
      memory,
      noted: (notes) => this.notes.push(...notes),
      messages: async () => this.messages,
      now: () => this.#clockMs++,
    };
    const job = defineWriteJob(this.deps);
    this.#kinds = new Map([job, defineFactsJob(memory)].map((one) => [one.kind, one]));
  }

  add(job: JobToAdd): number | null {
    return createJobStore(this.driver).add({ ...job, ...PLACE }, this.#clockMs++);
  }

  jobs(): readonly JobRecord[] {
    return createJobStore(this.driver).list(PLACE.project, 999).toReversed();
  }

  /** After a call with the session's messages, and what comes of it. */
  async sent(messages = this.messages): Promise<void> {
    const id = messages[0]?.info.sessionID as SessionId;
    this.messages = messages;
    await this.watch.onSent(id, messages);
    await this.runAll();
  }

  /** As the runner does it, one attempt after the other, without its waits. */
  async runAll(): Promise<void> {
    for (;;) {
      this.#clockMs += 10_000_000;
      const open = new Set(["due", "failed", "running"]);
      const [due] = this.jobs().filter(({ state }) => open.has(state));
      if (!due) return;
      if (due.state === "running" && due.attempts >= MAX_ATTEMPTS) {
        createJobStore(this.driver).giveUpKilled(due.id, due.attempts);
      } else {
        await this.#attempt(due.id);
      }
    }
  }

  /** One that its process does not outlive leaves the row as it is then, under a lease that runs out. */
  async #attempt(id: number): Promise<void> {
    const jobs = createJobStore(this.driver);
    const nowMs = this.#clockMs;
    const job = jobs.take(id, { owner: "one", nowMs, expiresAtMs: nowMs + 1 }, () => false);
    if (!job) throw new Error(`Job ${id} could not be taken`);
    if (this.dies("taken")) return;
    const kind = this.#kinds.get(job.kind);
    if (!kind) throw new Error(`No job ${job.kind}`);
    const port = { ask: (...asked: Parameters<ModelPort["ask"]>) => this.#ask(...asked) };
    const end = await kind.run(port, job.input, job.attempts);
    if (this.dies("answered")) return;
    const used = { inputTokens: 0, outputTokens: 0 };
    const model = "mock/small";
    if (end.kind !== "done") {
      const retryAtMs = end.kind === "given_up" || job.attempts >= MAX_ATTEMPTS ? null : nowMs;
      jobs.fail(job.id, "one", { error: end.code, model, retryAtMs, ...used });
      return;
    }
    const write = () => {
      if (this.dies("settling")) throw new KilledProcess();
      kind.keep(this.driver, end.output, { ...job, model });
      if (this.dies("written")) throw new KilledProcess();
    };
    try {
      jobs.settle(job.id, "one", { model, ...used }, { nowMs, write });
    } catch (error) {
      if (!(error instanceof KilledProcess)) throw error;
    }
  }

  async #ask(question: Question, options: AskOptions): Promise<Answer> {
    const call = { ...question, ...options };
    this.calls.push(call);
    const said = this.answer(call);
    if (typeof said !== "string") return createFailedAnswer(said.fails);
    return { kind: "answered", text: said, inputTokens: 9, outputTokens: 9 };
  }

  segments(id = session, generation = 0): readonly SegmentRecord[] {
    return createSegmentStore(this.driver).generation(id, generation);
  }

  /** `first-last`, by places in the array. */
  ranges(id = session, generation = 0): readonly string[] {
    return this.segments(id, generation).map(
      ({ place, messageCount }) => `${place}-${place + messageCount - 1}`,
    );
  }
}

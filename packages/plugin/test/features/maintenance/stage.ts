// Upkeep over a real database, with files and a model that a test gives.

import type { CliAnswer } from "../../../src/feature-api/command.ts";
import type { ProjectLease } from "../../../src/feature-api/extension-point.ts";
import {
  type Answer,
  type AskOptions,
  createFailedAnswer,
  type ModelPort,
  type Question,
} from "../../../src/feature-api/job.ts";
import { UpkeepActions } from "../../../src/features/maintenance/actions.ts";
import { createRunStore } from "../../../src/features/maintenance/run-store.ts";
import type {
  MaintenanceSettings,
  TaskSettings,
} from "../../../src/features/maintenance/settings.ts";
import { type Proposal, TASKS, type TaskName } from "../../../src/features/maintenance/task.ts";
import { defineMaintenanceJob } from "../../../src/features/maintenance/work.ts";
import type { Memory, MemoryContent, MemoryId } from "../../../src/features/memory/record.ts";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "../../../src/features/memory/sqlite-store.ts";
import { renderInstalledCommand } from "../../../src/log/notices.ts";
import type { Project, ProjectId } from "../../../src/project/project.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { JobRecord } from "../../../src/storage/job-records.ts";
import { createJobStore } from "../../../src/storage/job-store.ts";
import type { Workspace } from "../../storage/workspace.ts";

export const project: Project = {
  ...{ id: "commit:abc" as ProjectId, name: "shop", worktree: "/shop" },
};
const DIRECTORY = "/shop";
const MAX_ATTEMPTS = 3;
export const DAY_MS = 24 * 60 * 60_000;
export const NOON_MS = Date.UTC(2026, 0, 10, 12);

const usual: TaskSettings = {
  ...{ schedule: null, model: null, tokensPerRun: 200_000, tokensPerDay: 400_000 },
};

export type Moment = "taken" | "made" | "answered" | "settling" | "written";

class KilledProcess extends Error {}

export interface AskedCall extends Question, AskOptions {}

/** An answer in the format. */
export function formatProposals(...proposals: readonly object[]): string {
  return JSON.stringify({ proposals });
}

/** The objects of a section of a question, one per line. */
export function shownIn({ prompt }: Question, name: string): readonly Record<string, unknown>[] {
  const inside = new RegExp(`<${name}>\n([\\s\\S]*?)\n?</${name}>`).exec(prompt)?.[1] ?? "";
  return inside
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => JSON.parse(line));
}

/** Words of the model, or how it came to none. */
type SaidAnswer = string | Answer;

export class UpkeepStage {
  /** Where patches are applied: a folder of the test's own, if it has one. */
  directory = DIRECTORY;
  writePatch: (
    proposals: readonly Proposal[],
    texts: ReadonlyMap<string, string>,
  ) => Promise<string> = async () => "/data/run-1.patch";
  project: Project = project;
  readonly calls: AskedCall[] = [];
  readonly files = new Map<string, string>();
  nowMs = NOON_MS;
  answer: (call: AskedCall) => SaidAnswer | Promise<SaidAnswer> = () => formatProposals();
  /** The project among the machines of a team; by itself here. */
  lease: ProjectLease = {
    hold: async () => "held",
    release: async () => undefined,
    done: async () => new Map(),
  };
  /** Whether the process ends at a moment of an attempt. */
  dies: (moment: Moment) => boolean = () => false;
  readonly driver;
  readonly memories: MemoryStore;
  readonly settings: MaintenanceSettings;
  readonly path: string;

  constructor(
    workspace: Workspace,
    given: { readonly tasks?: Partial<Record<TaskName, Partial<TaskSettings>>> } = {},
  ) {
    this.path = workspace.path();
    workspace.open(this.path);
    this.driver = openBunDriver(this.path);
    this.driver.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF");
    const store = createSqliteMemoryStore(this.driver);
    // A kill between a memory's change and the note of it.
    this.memories = {
      ...store,
      apply: (...asked) => {
        const outcomes = store.apply(...asked);
        if (this.dies("made")) throw new KilledProcess();
        return outcomes;
      },
    };
    const tasks = given.tasks ?? Object.fromEntries(TASKS.map((task) => [task, {}]));
    const set = Object.entries(tasks).map(([name, own]) => [name, { ...usual, ...own }]);
    this.settings = { tasks: Object.fromEntries(set), quietMinutes: 5 };
  }

  async enter(): Promise<this> {
    await this.memories.enter(this.project, this.nowMs);
    return this;
  }

  /** As written so many days ago. */
  async remember(text: string, given: Partial<MemoryContent> & { readonly daysOld?: number } = {}) {
    const { daysOld = 0, ...more } = given;
    const base = { category: "ARCHITECTURE", importance: 50, permanence: "ordinary" } as const;
    const nowMs = this.nowMs - daysOld * DAY_MS;
    const by = { by: "historian", sessionId: null, segment: null, nowMs } as const;
    const change = { kind: "add", wording: { ...base, ...more, text } } as const;
    const [outcome] = await createSqliteMemoryStore(this.driver).apply(
      this.project.id,
      [change],
      by,
    );
    if (outcome?.kind !== "done") throw new Error(`Not added: ${text}`);
    return outcome.memory;
  }

  /** What a person does with it in the meantime. */
  async edit(id: MemoryId, text: string): Promise<void> {
    this.nowMs += 1_000;
    const by = { by: "user", sessionId: null, segment: null, nowMs: this.nowMs } as const;
    const change = { kind: "edit", id, wording: { text } } as const;
    await createSqliteMemoryStore(this.driver).apply(this.project.id, [change], by);
  }

  async all(): Promise<readonly Memory[]> {
    return this.memories.list(this.project.id);
  }

  async active(): Promise<readonly Memory[]> {
    return (await this.all()).filter(({ state }) => state.kind === "active");
  }

  async texts(): Promise<readonly string[]> {
    return (await this.active()).map(({ text }) => text).toSorted();
  }

  runs() {
    return createRunStore(this.driver);
  }

  async desk(words: string): Promise<CliAnswer> {
    const actions = new UpkeepActions({
      ...{
        runs: this.runs(),
        memories: this.memories,
        project: this.project,
        directory: this.directory,
        worker: this.directory,
      },
      ...{ askedBy: "shell", now: () => this.nowMs++, named: renderInstalledCommand },
      tasks: TASKS.filter((task) => this.settings.tasks[task] !== undefined),
    });
    return actions.carryOut(words.split(" "));
  }

  /** Begins a run and does what comes of it. */
  async run(task = ""): Promise<void> {
    await this.desk(`run ${task}`.trim());
    await this.runAll();
  }

  jobs(): readonly JobRecord[] {
    return createJobStore(this.driver).list(this.project.id, 999).toReversed();
  }

  /** As the runner does it, one attempt after the other, without its waits. */
  async runAll(): Promise<void> {
    for (;;) {
      this.nowMs += 60_000;
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

  async #attempt(id: number): Promise<void> {
    const jobs = createJobStore(this.driver);
    const { nowMs } = this;
    const job = jobs.take(id, { owner: "one", nowMs, expiresAtMs: nowMs + 1 }, () => false);
    if (!job) throw new Error(`Job ${id} could not be taken`);
    if (this.dies("taken")) return;
    const kind = this.#job();
    const used = { inputTokens: 0, outputTokens: 0 };
    const port: ModelPort = {
      ask: async (question, options) => {
        const answer = await this.#ask(question, options);
        used.inputTokens += answer.inputTokens;
        used.outputTokens += answer.outputTokens;
        jobs.callsIn(id, "one", "ses_child" as never, used);
        used.inputTokens = 0;
        used.outputTokens = 0;
        return answer;
      },
    };
    const model = "mock/small";
    try {
      const end = await kind.run(port, job.input, job.attempts);
      if (this.dies("answered")) return;
      if (end.kind !== "done") {
        const retryAtMs = job.attempts >= MAX_ATTEMPTS ? null : nowMs;
        jobs.fail(id, "one", { error: end.code, model, retryAtMs, ...used });
        return;
      }
      const write = () => {
        if (this.dies("settling")) throw new KilledProcess();
        kind.keep(this.driver, end.output, { ...job, model });
        if (this.dies("written")) throw new KilledProcess();
      };
      jobs.settle(id, "one", { model, ...used }, { nowMs, write });
    } catch (error) {
      if (!(error instanceof KilledProcess)) throw error;
    }
  }

  #job() {
    return defineMaintenanceJob({
      fallbacks: [],
      runs: () => this.runs(),
      memories: () => this.memories,
      project: async () => this.project,
      lease: () => this.lease,
      files: () => ({
        look: async (paths) =>
          new Map(paths.map((path) => [path, this.files.has(path) ? "there" : "gone"])),
        read: async (paths) =>
          new Map(
            paths.flatMap((path) => {
              const text = this.files.get(path);
              return text === undefined ? [] : [[path, text]];
            }),
          ),
      }),
      writePatch: (_run, ...patch) => this.writePatch(...patch),
      settings: this.settings,
      now: () => this.nowMs++,
    });
  }

  async #ask(question: Question, options: AskOptions): Promise<Answer> {
    const call = { ...question, ...options };
    this.calls.push(call);
    const said = await this.answer(call);
    if (typeof said !== "string") return said;
    const inputTokens = Math.ceil((question.system.length + question.prompt.length) / 4);
    const outputTokens = Math.ceil(said.length / 4);
    if (outputTokens > options.maxOutputTokens) {
      return createFailedAnswer("too_long", {
        inputTokens,
        outputTokens: options.maxOutputTokens,
      });
    }
    return { kind: "answered", text: said, inputTokens, outputTokens };
  }
}

import type { HostMessage } from "../../src/ledger/message.ts";
import { isTool } from "../../src/ledger/message.ts";
import { StorageError } from "../../src/storage/errors.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { deepFreeze } from "../ledger/history.ts";
import { answer } from "./answer.ts";
import { buildModelCall, type Call, type SendState } from "./call.ts";
import { DROP, type DropProposal } from "./history-policies.ts";
import { boundAnew, HostProcess, type Instance, type Setting } from "./host-process.ts";
import { pushOwn, pushReminders } from "./in-memory.ts";
import { type Author, type Row, Rows } from "./rows.ts";
import { type CallOptions, type Compaction, plainCall, type Slot } from "./steps.ts";
import { StoredState, writtenSince } from "./stored.ts";
import {
  type Agent,
  type Change,
  type LocationName,
  type ModelName,
  models,
  type World,
} from "./world.ts";

export interface Session {
  readonly id: SessionId;
  readonly rows: Rows;
  location: LocationName;
  author: Author;
  /** Whether the last step called tools, so that another one follows. */
  working: boolean;
}

export interface PromptOptions {
  readonly agent: Agent;
  readonly model: ModelName;
  readonly own: string | null;
  readonly call: Partial<CallOptions>;
}

const plainPrompt: PromptOptions = { agent: "build", model: "opus", own: null, call: {} };

export interface Watcher {
  readonly sent: (call: Call, stored: StoredState) => void;
  /** A call's boundary came to pass and its row did not: a crash, or a storage that failed. */
  readonly unrecorded: (sessionId: string, lastMessageId: string) => void;
  /** The host's own pass for a compaction, as the host has the history and as it is sent. */
  readonly compacting: (
    sessionId: string,
    array: readonly Row[],
    projected: readonly HostMessage[],
  ) => void;
  /** What was to be sent as the host made it came back otherwise. */
  readonly touched: (what: string) => void;
}

/** A small deterministic model of OpenCode 1.18.33's session loop, in memory, around the real runtime. */
export class Host {
  readonly stored: StoredState;
  readonly #sessions = new Map<Slot, Session>();
  readonly #generations = new Map<Slot, number>();
  readonly #processes: readonly [HostProcess, HostProcess];
  #second = false;

  constructor(
    readonly world: World,
    path: string,
    private readonly setting: Setting,
    private readonly watcher: Watcher,
  ) {
    const bound = boundAnew();
    this.#processes = [
      new HostProcess(world, path, setting, bound),
      new HostProcess(world, path, setting, bound),
    ];
    this.stored = new StoredState(path);
  }

  session(slot: Slot): Session {
    const known = this.#sessions.get(slot);
    if (known) return known;
    const generation = (this.#generations.get(slot) ?? 0) + 1;
    this.#generations.set(slot, generation);
    const id = `ses_${slot}_${generation}` as SessionId;
    const author: Author = { agent: "build", model: "opus" };
    const made: Session = { id, rows: new Rows(id), location: "app", author, working: false };
    this.#sessions.set(slot, made);
    return made;
  }

  get process(): HostProcess {
    return this.#processes[this.#second ? 1 : 0];
  }

  instance(slot: Slot): Instance {
    return this.process.in(this.session(slot).location);
  }

  change(change: Change): void {
    this.world.apply(change);
  }

  async prompt(slot: Slot, options: Partial<PromptOptions> = {}): Promise<Call | null> {
    const { agent, model, own, call } = { ...plainPrompt, ...options };
    const session = this.session(slot);
    session.author = { agent, model };
    session.rows.user(session.author, this.world.nowMs, session.rows.say("prompt"), own);
    return this.#call(session, { ...plainCall, ...call });
  }

  async goOn(slot: Slot, options: Partial<CallOptions> = {}): Promise<Call | null> {
    const session = this.session(slot);
    return session.working ? this.#call(session, { ...plainCall, ...options }) : null;
  }

  restart(): void {
    this.process.stop();
  }

  useOtherProcess(): void {
    this.#second = !this.#second;
  }

  /** Reverts to before the n-th last prompt; the next prompt would remove the rows for good. */
  undo(slot: Slot, prompts: number): void {
    const session = this.session(slot);
    const users = session.rows.all.flatMap(({ info }, at) => (info.role === "user" ? [at] : []));
    const at = users.at(-prompts);
    if (at === undefined) return;
    session.rows.removeFrom(at);
    session.working = false;
  }

  /** Opt-in, by the host's config. */
  prune(slot: Slot): void {
    if (this.setting.hostPrune === "on") this.session(slot).rows.prune(this.world.nowMs);
  }

  /** A job or a tool, or a command of the user's. */
  propose(
    slot: Slot,
    { urgency, result }: { readonly urgency: "command" | "waits"; readonly result: number },
  ): void {
    const { id: sessionId, rows } = this.session(slot);
    const results = rows.all.flatMap(({ parts }) => parts.filter(isTool));
    const part = results.at(-1 - result);
    if (!part) return;
    const { runtime, database } = this.instance(slot);
    const output: DropProposal = { partId: part.id, text: `[proposed ${part.callID}]` };
    database.proposals.add({ kind: DROP, sessionId, urgency, output }, this.world.nowMs);
    runtime.reloadProposals(sessionId);
  }

  move(slot: Slot): void {
    const session = this.session(slot);
    session.location = session.location === "app" ? "other" : "app";
    session.working = false;
  }

  /** The slot goes on with a copy of its session. */
  fork(slot: Slot): void {
    const former = this.session(slot);
    this.#sessions.delete(slot);
    const made = this.session(slot);
    former.rows.copyInto(made.rows);
    Object.assign(made, { location: former.location, author: former.author });
  }

  delete(slot: Slot): void {
    this.instance(slot).runtime.removeSession(this.session(slot).id);
    this.#sessions.delete(slot);
  }

  /** system.transform, as it comes: for a test that plays a call by hand. */
  compose(slot: Slot, strings: readonly string[]): readonly string[] {
    return this.#compose(this.session(slot), strings);
  }

  async compact(slot: Slot, compaction: Partial<Compaction> = {}): Promise<Call | null> {
    const { tail = 0, outcome = "done", goesOn = false, title = false } = compaction;
    const session = this.session(slot);
    const { rows, author } = session;
    if (rows.all.length === 0) return null;
    const row = rows.compaction(author, this.world.nowMs, rows.tailStart(tail));
    await this.#compactionCall(session, title);
    const summary = { summary: true, parentID: row.info.id };
    session.working = false;
    if (outcome !== "done") {
      const error = outcome === "fails" ? { error: { name: "APIError" } } : {};
      rows.assistant(author, this.world.nowMs, { ...summary, ...error });
      if (outcome === "dies") this.process.stop();
      return null;
    }
    const done = rows.assistant(author, this.world.nowMs, { ...summary, finish: "stop" });
    done.parts.push(rows.text(done, rows.say("summary")));
    if (!goesOn) return null;
    const next = rows.user(author, this.world.nowMs, "");
    next.parts.push(rows.text(next, "Continue if you have next steps", { synthetic: true }));
    return this.#call(session, { ...plainCall, ...compaction.call });
  }

  close(): void {
    for (const process of this.#processes) process.kill();
    this.stored.close();
  }

  /** The host's own pass for a compaction, and the call of the compaction agent. */
  async #compactionCall(session: Session, title: boolean): Promise<void> {
    const { runtime } = this.process.in(session.location);
    runtime.beginCompaction(session.id);
    if (title) this.#titleCall(session);
    const array = deepFreeze(session.rows.visible());
    const projected = await runtime.projectHistory(array);
    this.watcher.compacting(session.id, array, projected);
    const strings = ["You are a helpful AI assistant tasked with summarizing conversations."];
    if (this.#compose(session, strings) !== strings) this.watcher.touched("a compaction's system");
  }

  #titleCall(session: Session): void {
    const strings = ["You are a title generator."];
    if (this.#compose(session, strings) !== strings) this.watcher.touched("a title call");
  }

  #compose(session: Session, strings: readonly string[]): readonly string[] {
    const { runtime } = this.process.in(session.location);
    const model = models[session.author.model];
    return runtime.composeSystem({ sessionId: session.id, model, strings });
  }

  async #call(session: Session, options: CallOptions): Promise<Call | null> {
    const { world, process } = this;
    const { fault } = options;
    const { runtime } = process.in(session.location);
    const isCrash = fault?.kind === "crash";
    if (fault && fault.kind !== "kill") {
      const strikes = fault.kind === "crash" ? fault.strikes : "before";
      const error = new Error(`${fault.kind} at call ${fault.atCall}`);
      const afterwards = isCrash ? "dead" : "works";
      process.plan.arm({ atCall: fault.atCall, strikes, afterwards, error });
    }
    const hasStruck = () =>
      fault !== null && fault.kind !== "kill" && process.plan.calls >= fault.atCall;
    const sending = await this.#send(session, options);
    if (isCrash && hasStruck()) {
      this.watcher.unrecorded(session.id, sending.array.at(-1)?.info.id ?? "");
      this.#die(session);
      return null;
    }
    const call = buildModelCall(sending, { nowMs: world.nowMs, disturbed: hasStruck() });
    this.watcher.sent(call, this.stored);
    if (fault?.kind !== "kill") runtime.turns.flush();
    const isUnrecorded = fault?.kind === "kill" || (hasStruck() && !call.disturbed);
    if (isUnrecorded) this.watcher.unrecorded(session.id, call.array.at(-1)?.info.id ?? "");
    if (fault?.kind === "kill" || (isCrash && hasStruck())) {
      this.#die(session);
      return call;
    }
    process.plan.disarm();
    session.working = answer(session, options.outcome, { world, runtime });
    return call;
  }

  /** Both hooks, as their guards call them: where the storage fails, the host keeps its own. */
  async #send(session: Session, options: CallOptions): Promise<SendState> {
    const { world, stored } = this;
    const { author, location, id: sessionId } = session;
    const instance = this.process.in(location);
    const array: readonly Row[] = session.rows.visible();
    world.isFull = options.full;
    world.isWorth = options.worth;
    const commanded = stored.hasCommand(sessionId);
    pushReminders(array, author.agent);
    const pushed = options.pushed ? pushOwn(array) : [];
    deepFreeze(array);
    const epochsBefore = stored.epochs(sessionId).length;
    const storedBefore = stored.mark(sessionId);
    const failuresBefore = this.process.failures.length;
    let failed = false;
    const truth = () => world.truth(location, author.agent, author.model);
    const atBoundary = truth();
    const messages = await guarded<readonly HostMessage[]>(
      () => {
        failed = true;
        return array;
      },
      async () => {
        // As the hook leaves it: the host's own array becomes what is sent.
        const live: Row[] = [...array];
        const projected = [...(await instance.runtime.projectHistory(live))];
        live.splice(0, live.length, ...(projected as Row[]));
        return projected;
      },
    );
    if (options.title) this.#titleCall(session);
    if (options.meanwhile) world.apply(options.meanwhile);
    const own = newestOwn(array);
    const host = [world.systemString({ location, own, ...author })];
    const compose = () =>
      guarded(
        () => host,
        () => this.#compose(session, host),
      );
    let system = await compose();
    for (let retry = 0; retry < options.retries; retry += 1) {
      const again = await compose();
      const isSame = JSON.stringify(again) === JSON.stringify(system);
      // An epoch that could not be stored at first may begin with a retry.
      if (!isSame && options.fault === null) this.watcher.touched("a retry");
      system = again;
    }
    return {
      ...{ sessionId, author, location, own, array, messages, system, host, pushed },
      rowIds: new Set(session.rows.all.map(({ info }) => info.id)),
      ...{ atBoundary, atSend: truth(), instanceId: instance.id },
      ...{ epochsBefore, epochs: stored.epochs(sessionId) },
      isFull: options.full,
      isWorth: options.worth,
      commanded,
      edits: stored.edits(sessionId),
      failed,
      reported: this.process.failures.length - failuresBefore,
      written: writtenSince(storedBefore, stored.mark(sessionId)),
      rows: session.rows.all,
    };
  }

  /** The process died while a call was under way: an empty row stays, and nothing resumes. */
  #die(session: Session): void {
    this.process.kill();
    session.rows.assistant(session.author, this.world.nowMs, {});
    session.working = false;
  }
}

/** The host puts the newest prompt's own system text at the end of its string. */
function newestOwn(array: readonly Row[]): string | null {
  const row = array.findLast(({ info }) => info.role === "user");
  return row?.info.role === "user" ? (row.info.system ?? null) : null;
}

async function guarded<T>(host: () => T, hook: () => T | Promise<T>): Promise<T> {
  try {
    return await hook();
  } catch (error) {
    if (error instanceof StorageError) return host();
    throw error;
  }
}

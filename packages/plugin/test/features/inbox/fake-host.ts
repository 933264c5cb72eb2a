import type {
  ArrivingPrompt,
  Dispatch,
  HistoryInfo,
  HistoryMessage,
  InboxHost,
  SavedMessage,
} from "../../../src/feature-api/prompt.ts";
import { PromptRefusedError } from "../../../src/features/inbox/arrival.ts";
import type { Inbox } from "../../../src/features/inbox/inbox.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { isCrash } from "../../storage/faults.ts";

type Part = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

interface Row {
  info: HistoryInfo & Record<string, unknown>;
  parts: Part[];
}

/** What a prompt over the host's API carries. */
export interface Request {
  readonly id?: string;
  readonly text?: string;
  readonly parts?: readonly Readonly<Record<string, unknown>>[];
  readonly agent?: string;
  readonly noReply?: true;
}

export type Answer = "stop" | "fail" | "abort" | "hang";

const MODEL = { providerID: "anthropic", modelID: "claude" };
const AFTER_SEND_MS = 40;

/** One session as OpenCode 1.18.33 treats it: chat.message, then saved, then one loop. */
export class FakeHost implements InboxHost {
  readonly rows: Row[] = [];
  /** What the next model calls come to; then `stop`. */
  answers: Answer[] = [];
  /** The texts that each model call had. */
  readonly calls: string[][] = [];
  readonly errors: string[] = [];
  revert: "none" | "undone" = "none";
  /** `down`: the process was killed; nothing that was going on goes on. */
  process: "up" | "down" = "up";
  /** Called before each model call is answered. */
  during: () => void | Promise<void> = () => undefined;
  inbox: Inbox | null = null;
  /** Killed when so many parts of the next prompt are saved behind its row; null: not at all. */
  tearAfterParts: number | null = null;
  /** The prompt that begins with this text; null: whichever comes next. */
  tearText: string | null = null;
  /** What another plugin's chat.message does after ours. */
  otherPlugin: (parts: Part[]) => void = () => undefined;
  #running = false;
  #ids = 0;
  #release: ((answer: Answer) => void) | null = null;

  constructor(readonly sessionId: SessionId) {}

  /** POST /session/ID/message, up to the point where the prompt is saved. */
  async prompt(request: Request): Promise<void> {
    this.#alive();
    const id = request.id ?? this.newId("msg_host");
    const given =
      request.parts ?? (request.text === undefined ? [] : [{ type: "text", text: request.text }]);
    const parts = given.map(
      (part) =>
        ({
          ...part,
          id: String(part.id ?? this.newId("prt_host")),
          messageID: id,
        }) as unknown as Part,
    );
    const message = { id, role: "user" as const, agent: request.agent ?? "build", model: MODEL };
    const arriving: ArrivingPrompt = {
      sessionId: this.sessionId,
      message,
      parts,
      asked: { agent: request.agent ?? null, model: null, variant: null },
    };
    await this.#throughTheInbox(arriving);
    this.#alive();
    this.otherPlugin(parts);
    this.#save(message, parts);
    this.#alive();
    this.#guard(() =>
      this.inbox?.onEvent({ kind: "saved", sessionId: this.sessionId, messageId: id }),
    );
    if (!request.noReply) void this.#run();
  }

  /** Goes on with a model call that hangs. */
  release(answer: Answer): void {
    this.#release?.(answer);
    this.#release = null;
  }

  texts(): readonly string[] {
    return this.rows.filter(({ info }) => info.role === "user").map(joinText);
  }

  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}${String(this.#ids).padStart(6, "0")}`;
  }

  /** kill -9: what is saved stays. */
  kill(): void {
    this.process = "down";
    this.#running = false;
    this.#release = null;
  }

  async activity(): Promise<"busy" | "idle"> {
    this.#alive();
    return this.#running ? "busy" : "idle";
  }

  async session() {
    this.#alive();
    return { title: "A session", revert: this.revert };
  }

  async history(_sessionId: SessionId, count: number): Promise<readonly HistoryMessage[]> {
    this.#alive();
    return structuredClone(this.rows.slice(-count)) as unknown as readonly HistoryMessage[];
  }

  async message(_sessionId: SessionId, messageId: string): Promise<SavedMessage | null> {
    this.#alive();
    const row = this.rows.find(({ info }) => info.id === messageId);
    return row ? { info: { ...row.info }, partIds: row.parts.map(({ id }) => id) } : null;
  }

  async send({ messageId, prompt, reply }: Dispatch): Promise<void> {
    this.#alive();
    const request = {
      id: messageId,
      parts: prompt.parts,
      ...(prompt.agent !== null && { agent: prompt.agent }),
      ...(reply === "none" && { noReply: true as const }),
    };
    const saved = this.prompt(request);
    if (reply === "none") await saved;
    else void saved.catch((error: Error) => this.errors.push(error.message));
  }

  async abort(): Promise<void> {
    this.#alive();
    this.release("abort");
  }

  async #throughTheInbox(arriving: ArrivingPrompt): Promise<void> {
    try {
      await this.inbox?.onArrival(arriving);
    } catch (error) {
      // As the hook's guard has it: only a refusal is meant.
      if (error instanceof PromptRefusedError) throw error;
      this.failed(error);
    }
  }

  /** What the hooks' guard does; a crash that a test has planned takes the host along. */
  failed(error: unknown): void {
    if (isCrash(error)) this.kill();
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Rows and parts are written by id: what is there is replaced in its place. */
  #save(info: Row["info"], parts: readonly Part[]): void {
    const row = this.rows.find((known) => known.info.id === info.id) ?? { info, parts: [] };
    row.info = info;
    if (!this.rows.includes(row)) this.rows.push(row);
    const isMeant = this.tearText === null || parts[0]?.text === this.tearText;
    const tear = isMeant ? this.tearAfterParts : null;
    if (isMeant) this.tearAfterParts = null;
    if (tear !== null && tear < parts.length) this.kill();
    for (const part of parts.slice(0, tear ?? parts.length)) {
      const index = row.parts.findIndex(({ id }) => id === part.id);
      if (index < 0) row.parts.push(part);
      else row.parts[index] = part;
    }
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    this.#guard(() => this.inbox?.onEvent({ kind: "busy", sessionId: this.sessionId }));
    while (this.process === "up" && !this.#done()) {
      if ((await this.#step()) !== "stop") break;
    }
    if (this.process === "down") return;
    this.#running = false;
    this.#guard(() => {
      this.inbox?.onEvent({ kind: "idle", sessionId: this.sessionId });
      this.inbox?.onSettled(this.sessionId);
    });
  }

  #newest(role: string): Row | undefined {
    return this.rows.findLast(({ info }) => info.role === role);
  }

  #done(): boolean {
    const answer = this.#newest("assistant")?.info;
    return answer?.finish === "stop" && answer.parentID === this.#newest("user")?.info.id;
  }

  async #step(): Promise<Answer> {
    if (this.#isDown()) return "abort";
    const parentID = this.#newest("user")?.info.id;
    const row: Row = {
      info: { id: this.newId("msg_answer"), role: "assistant", parentID },
      parts: [],
    };
    const rows = [...this.rows];
    this.#guard(() => this.inbox?.onBoundary(this.sessionId, rows, AFTER_SEND_MS));
    if (this.#isDown()) return "abort";
    this.calls.push([...this.texts()]);
    this.rows.push(row);
    await this.during();
    const planned = this.answers.shift() ?? "stop";
    const answer =
      planned === "hang"
        ? await new Promise<Answer>((resolve) => {
            this.#release = resolve;
          })
        : planned;
    if (this.#isDown()) return "abort";
    const name = answer === "abort" ? "MessageAbortedError" : "APIError";
    row.info = { ...row.info, ...(answer === "stop" ? { finish: "stop" } : { error: { name } }) };
    return answer;
  }

  #isDown(): boolean {
    return this.process === "down";
  }

  #alive(): void {
    if (this.#isDown()) throw new Error("The host was killed.");
  }
}

function joinText({ parts }: Row): string {
  return parts.map((part) => String(part.text ?? `(${part.type})`)).join("|");
}

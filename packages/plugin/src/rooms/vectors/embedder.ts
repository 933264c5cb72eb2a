// Keeps the vectors of a project's texts up to date, in the background.
import type { MeantTexts } from "../../features/finders.ts";
import type { IndexFile } from "../../index/file.ts";
import { withoutSecrets } from "../../redaction/secrets.ts";
import type { Vector } from "./answer.ts";
import type { Caller } from "./caller.ts";
import { type Extent, type NewVector, VectorStore } from "./vector-store.ts";

interface EmbedderDeps {
  readonly file: IndexFile;
  readonly caller: Caller;
  readonly texts: () => readonly MeantTexts[];
  readonly project: string;
  readonly directory: string;
  readonly model: string;
  /** Between two batches the host has its turn. */
  readonly pause: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

interface Missing {
  readonly key: string;
  readonly digest: string;
  readonly text: string;
}

const BATCH = 32;
/** Most models read no more than this of a text. */
const MOST_CHARS = 2_000;

type Step = "done" | "stopped";

export class Embedder {
  #running: Promise<void> | null = null;
  #isAskedAgain = false;
  #isClosed = false;
  /** Whether the endpoint has taken any text: then one that it refuses is at fault itself. */
  #hasTaken = false;

  constructor(private readonly deps: EmbedderDeps) {}

  /** What is asked for meanwhile is done right after. Never rejects. */
  update(): Promise<void> {
    if (this.#running) {
      this.#isAskedAgain = true;
      return this.#running;
    }
    this.#running = this.#updates()
      .catch((error: unknown) => {
        if (!this.#isClosed) this.deps.failed(error);
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #updates(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      for (const texts of this.deps.texts()) {
        if (this.#isStopped || (await this.#updateKind(texts)) === "stopped") return;
      }
    } while (this.#isAskedAgain);
  }

  get #isStopped(): boolean {
    return this.#isClosed || this.deps.caller.isAlone;
  }

  async #updateKind(texts: MeantTexts): Promise<Step> {
    const { kind } = texts;
    const listed = await texts.list();
    if (this.#isClosed) return "stopped";
    const { extent, known } = this.#use((store) => {
      const entered = this.#enter(store);
      return { extent: entered, known: store.digests(entered.project, kind) };
    });
    const standing = new Set(listed.map(({ key }) => key));
    const gone = [...known.keys()].filter((key) => !standing.has(key));
    if (gone.length > 0) this.#use((store) => store.remove(extent.project, kind, gone));
    const due = listed.filter(({ key, digest }) => known.get(key) !== digest);
    for (let at = 0; at < due.length; at += BATCH) {
      const some = due.slice(at, at + BATCH);
      const read = await texts.texts(some.map(({ key }) => key));
      const missing = some.flatMap(({ key, digest }, place): readonly Missing[] => {
        const text = read[place];
        return text == null ? [] : [{ key, digest, text: sendable(text) }];
      });
      if (missing.length === 0) continue;
      if ((await this.#embed(kind, missing)) === "stopped") return "stopped";
      await this.deps.pause();
    }
    return "done";
  }

  /** A batch that is refused is halved, down to the text that is refused. */
  async #embed(kind: string, missing: readonly Missing[]): Promise<Step> {
    if (this.#isStopped) return "stopped";
    const { caller, model } = this.deps;
    const { dimensions } = this.#use((store) => this.#enter(store));
    const outcome = await caller.texts(
      missing.map(({ text }) => text),
      dimensions,
    );
    if (this.#isClosed) return "stopped";
    if (outcome.kind === "vectors") {
      this.#hasTaken = true;
      return this.#keep(kind, missing, outcome.vectors);
    }
    if (outcome.kind === "left alone" || outcome.fault.kind !== "refused") return "stopped";
    if (missing.length > 1) {
      const half = Math.ceil(missing.length / 2);
      const first = await this.#embed(kind, missing.slice(0, half));
      return first === "stopped" ? first : this.#embed(kind, missing.slice(half));
    }
    if (!this.#hasTaken) return "stopped";
    this.deps.failed(new Error(`${model} refuses a text (${outcome.fault.status}).`));
    return this.#keep(kind, missing, [null]);
  }

  #keep(kind: string, missing: readonly Missing[], vectors: readonly (Vector | null)[]): Step {
    const rows = missing.map(
      ({ key, digest }, at): NewVector => ({ kind, key, digest, vector: vectors[at] ?? null }),
    );
    return this.#use((store) => store.add(this.#enter(store), this.deps.model, rows))
      ? "done"
      : "stopped";
  }

  #enter(store: VectorStore): Extent {
    return store.enter(this.deps.project, this.deps.directory, this.deps.model);
  }

  #use<T>(work: (store: VectorStore) => T): T {
    return this.deps.file.use((driver) => work(new VectorStore(driver)));
  }
}

/** What looks like a secret never leaves, and a text of nothing is refused by some. */
export function sendable(text: string): string {
  const masked = withoutSecrets(text).slice(0, MOST_CHARS).trim();
  return masked === "" ? "-" : masked;
}

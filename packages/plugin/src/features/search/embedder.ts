// Keeps the vectors of a project's texts up to date, in the background.
import type { SemanticCorpus } from "../../feature-api/finders.ts";
import { maskSecrets } from "../../log/secrets.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { ProjectId } from "../../storage/records.ts";
import type { Vector } from "./embedding-answer.ts";
import type { EmbeddingCaller } from "./embedding-caller.ts";
import { type CopyExtent, VectorStore } from "./vector-store.ts";

interface EmbedderDeps {
  readonly file: IndexFile;
  readonly caller: EmbeddingCaller;
  readonly texts: () => readonly SemanticCorpus[];
  readonly project: () => Promise<ProjectId>;
  readonly directory: string;
  readonly model: string;
  /** Lets the host run between two batches. */
  readonly pause: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

interface MissingVector {
  readonly passage: number;
  readonly text: string;
}

const TEXTS_PER_BATCH = 32;
/** Most models read no more of a text than this many characters. */
const MAX_TEXT_CHARS = 2_000;

type EmbedderOutcome = "done" | "stopped";

export class Embedder {
  #running: Promise<void> | null = null;
  #isAskedAgain = false;
  #isClosed = false;
  /** True once the endpoint has taken any text; from then on, a refusal is the fault of the text. */
  #hasTaken = false;

  constructor(private readonly deps: EmbedderDeps) {}

  /** Updates the vectors; a request made during an update runs right after it. Never rejects. */
  update(): Promise<void> {
    if (this.#running) {
      this.#isAskedAgain = true;
      return this.#running;
    }
    this.#running = this.#runUpdates()
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

  async #runUpdates(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      const project = await this.deps.project();
      for (const texts of this.deps.texts()) {
        if (this.#isStopped || (await this.#updateKind(project, texts)) === "stopped") return;
      }
    } while (this.#isAskedAgain);
  }

  get #isStopped(): boolean {
    return this.#isClosed || this.deps.caller.isAlone;
  }

  async #updateKind(project: ProjectId, texts: SemanticCorpus): Promise<EmbedderOutcome> {
    const { kind } = texts;
    const listed = await texts.list();
    if (this.#isClosed) return "stopped";
    const due = this.#useStore((store) => {
      this.#enter(store, project);
      if (listed !== null && kind !== "said") store.keep(project, kind, listed);
      return store.listDue(project, kind);
    });
    for (let at = 0; at < due.length; at += TEXTS_PER_BATCH) {
      const some = due.slice(at, at + TEXTS_PER_BATCH);
      // A passage that was removed meanwhile has no text.
      const keys = this.#useStore((store) => some.map((one) => store.findItem(one)?.key ?? ""));
      const read = await texts.texts(keys);
      const missing = some.flatMap((passage, place): readonly MissingVector[] => {
        const text = read[place];
        return text == null ? [] : [{ passage, text: toSendableText(text) }];
      });
      if (missing.length === 0) continue;
      if ((await this.#embed(project, missing)) === "stopped") return "stopped";
      await this.deps.pause();
    }
    return "done";
  }

  /** Halves a batch that is refused, until the text that causes the refusal is found. */
  async #embed(project: ProjectId, missing: readonly MissingVector[]): Promise<EmbedderOutcome> {
    if (this.#isStopped) return "stopped";
    const { caller, model } = this.deps;
    const { dimensions } = this.#useStore((store) => this.#enter(store, project));
    const outcome = await caller.embedTexts(
      missing.map(({ text }) => text),
      dimensions,
    );
    if (this.#isClosed) return "stopped";
    if (outcome.kind === "vectors") {
      this.#hasTaken = true;
      return this.#storeVectors(project, missing, outcome.vectors);
    }
    if (outcome.kind === "left alone" || outcome.fault.kind !== "refused") return "stopped";
    if (missing.length > 1) {
      const half = Math.ceil(missing.length / 2);
      const first = await this.#embed(project, missing.slice(0, half));
      return first === "stopped" ? first : this.#embed(project, missing.slice(half));
    }
    if (!this.#hasTaken) return "stopped";
    this.deps.failed(new Error(`${model} refuses a text (${outcome.fault.status}).`));
    return this.#storeVectors(project, missing, [null]);
  }

  #storeVectors(
    project: ProjectId,
    missing: readonly MissingVector[],
    vectors: readonly (Vector | null)[],
  ): EmbedderOutcome {
    const rows = missing.map(({ passage }, at) => ({ passage, vector: vectors[at] ?? null }));
    return this.#useStore((store) => store.add(this.#enter(store, project), this.deps.model, rows))
      ? "done"
      : "stopped";
  }

  #enter(store: VectorStore, project: ProjectId): CopyExtent {
    return store.enter(project, this.deps.directory, this.deps.model);
  }

  #useStore<T>(work: (store: VectorStore) => T): T {
    return this.deps.file.use((index) => work(new VectorStore(index)));
  }
}

/** Redacts what looks like a secret, and fills an empty text, because some endpoints refuse it. */
export function toSendableText(text: string): string {
  const masked = maskSecrets(text).slice(0, MAX_TEXT_CHARS).trim();
  return masked === "" ? "-" : masked;
}

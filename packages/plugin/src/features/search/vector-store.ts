// Stores vectors of what passages mean; they act as another column of the search index.
import type { CorpusEntry, SemanticKind } from "../../feature-api/finders.ts";
import {
  type PassageRange,
  PROJECT_DOCUMENT_KINDS,
  type ProjectDocumentKind,
  toProjectScope,
} from "../../search-index/collection.ts";
import { REF_KINDS } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { Driver } from "../../storage/driver.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { Vector } from "./embedding-answer.ts";

// Finds the nearest of many vectors, by the cosine. Pure.

/** Holds some vectors of length 1 in a row, and the item that each belongs to. */
export interface VectorBlock<Item> {
  readonly items: readonly Item[];
  readonly numbers: Float32Array;
}

interface NearItem<Item> {
  readonly item: Item;
  /** The cosine, from -1 to 1. */
  readonly likeness: number;
}

/** The mean is meaningful only from this many vectors on. */
const MIN_VECTORS_FOR_MEAN = 20;
/** The threshold in standard deviations above the mean: what any two texts have in common answers nothing. */
const MIN_STANDARD_DEVIATIONS = 2;
const MAX_FOUND_WITHOUT_MEAN = 3;

/** Returns the vectors that stand out, nearest first. @param query of length 1 */
export function findNearest<Item>(
  blocks: readonly VectorBlock<Item>[],
  query: Float32Array,
  most: number,
): readonly NearItem<Item>[] {
  const scanned = blocks.map(({ items, numbers }) => ({
    items,
    likenesses: computeSimilarities(numbers, items.length, query),
  }));
  const { least, most: limit } = computeScoreBounds(scanned.map((one) => one.likenesses));
  const found: NearItem<Item>[] = [];
  for (const { items, likenesses: all } of scanned) {
    for (const [at, item] of items.entries()) {
      const likeness = all[at] ?? 0;
      if (likeness > 0 && likeness >= least) found.push({ item, likeness });
    }
  }
  found.sort((left, right) => right.likeness - left.likeness);
  return found.slice(0, Math.min(most, limit));
}

/** Computes the likeness that a vector has to reach, and the most vectors to return. */
function computeScoreBounds(all: readonly Float32Array[]): {
  readonly least: number;
  readonly most: number;
} {
  const count = all.reduce((sum, { length }) => sum + length, 0);
  if (count < MIN_VECTORS_FOR_MEAN) return { least: 0, most: MAX_FOUND_WITHOUT_MEAN };
  let [sum, squares] = [0, 0];
  for (const some of all) {
    for (const one of some) {
      sum += one;
      squares += one * one;
    }
  }
  const mean = sum / count;
  const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
  return { least: mean + MIN_STANDARD_DEVIATIONS * deviation, most: Number.MAX_SAFE_INTEGER };
}

/** The number of sums computed in parallel, which takes a third of the time of a single sum. */
const PARALLEL_SUMS = 4;

/** Multiplies each row with the query; the scalar product is the cosine, as all have length 1. */
export function computeSimilarities(
  numbers: Float32Array,
  rows: number,
  query: Float32Array,
): Float32Array {
  const found = new Float32Array(rows);
  // Double precision avoids conversions. A factor beyond the query's end counts as 0.
  const factors = Float64Array.from(query);
  const width = factors.length;
  for (let row = 0; row < rows; row++) {
    // In an array the engine would keep these sums out of its registers, which takes three times as long.
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let at = 0, from = row * width; at < width; at += PARALLEL_SUMS, from += PARALLEL_SUMS) {
      a += (numbers[from] ?? 0) * (factors[at] ?? 0);
      b += (numbers[from + 1] ?? 0) * (factors[at + 1] ?? 0);
      c += (numbers[from + 2] ?? 0) * (factors[at + 2] ?? 0);
      d += (numbers[from + 3] ?? 0) * (factors[at + 3] ?? 0);
    }
    found[row] = a + b + c + d;
  }
  return found;
}

interface NewVector {
  readonly passage: number;
  readonly vector: Vector | null;
}

/** Names a text that may have a vector. */
export interface SemanticItem {
  readonly kind: SemanticKind;
  readonly key: string;
}

/** Records how far a copy of a project's vectors goes. */
export interface CopyExtent {
  readonly projectRowId: number;
  readonly dimensions: number | null;
  readonly removals: number;
  readonly last: number;
}

/** Only this many texts of a kind have vectors, the newest ones; older texts are found by their words. */
const MAX_VECTORS: Readonly<Record<SemanticKind, number>> = {
  said: 30_000,
  commit: 10_000,
  memory: Number.MAX_SAFE_INTEGER,
  segment: Number.MAX_SAFE_INTEGER,
};

/** The place and text of a document whose text is stored elsewhere. */
const EMPTY_PASSAGE = { line: 1, text: "" };

export class VectorStore {
  readonly #driver: Driver;

  constructor(private readonly index: IndexStore) {
    this.#driver = index.driver;
  }

  /** Removes all vectors that another model made. */
  enter(key: ProjectId, directory: string, model: string): CopyExtent {
    this.#driver.transaction(() => {
      const project = this.index.ensureProjectId(key);
      this.#driver.run(INSERT_MEANING, project, directory, model);
      const former = this.#driver.get(SELECT_OTHER_MODEL, project, model);
      if (!former) return;
      this.#driver.run("DELETE FROM vector WHERE project = ?", project);
      this.#driver.run(CHANGE_MODEL, model, project);
    });
    const findExtent = this.readExtent(key, model);
    if (findExtent) return findExtent;
    throw new Error("Another model has indexed the project meanwhile.");
  }

  /** Returns null if the project has no vectors of this model. */
  readExtent(key: ProjectId, model: string): CopyExtent | null {
    const row = this.#driver.get(SELECT_EXTENT, key, model);
    return (
      row && {
        projectRowId: Number(row.id),
        dimensions: row.dimensions === null ? null : Number(row.dimensions),
        removals: Number(row.removals),
        last: Number(row.last ?? 0),
      }
    );
  }

  /** Turns texts stored elsewhere into documents, which replace all documents of their kind. */
  keep(project: ProjectId, kind: ProjectDocumentKind, listed: readonly CorpusEntry[]): void {
    const scope = toProjectScope(project, kind);
    this.#driver.transaction(() => {
      const known = this.index.readDigests(scope.sessionId);
      const standing = new Map(listed.map(({ key, digest }) => [key, digest]));
      const gone = [...known.keys()].filter((key) => standing.get(key) !== known.get(key));
      this.index.remove(scope.sessionId, REF_KINDS[kind], gone);
      const fresh = listed.filter(({ key, digest }) => known.get(key) !== digest);
      for (const { key, digest } of fresh.toReversed()) {
        const record = { key, messageId: "", kind, words: "", madeAtMs: 0 };
        this.index.put(scope, { record, digest, passages: [EMPTY_PASSAGE] });
      }
    });
  }

  /** Lists passages of a kind that have no vector yet, newest first. Passages that are too old lose theirs. */
  listDue(project: ProjectId, kind: SemanticKind): readonly number[] {
    const range = this.#resolveKindRange(project, kind);
    const { first, last } = range;
    const kinds = kind === "said" ? (["user", "assistant"] as const) : [kind];
    const newest = JSON.stringify(this.index.findNewest(kinds, range, MAX_VECTORS[kind]));
    this.#driver.run(DELETE_OTHER_VECTORS, first, last, newest);
    return this.#driver
      .all(SELECT_PASSAGES_WITHOUT_VECTOR, newest, first, last)
      .map(({ value }) => Number(value));
  }

  /** Returns the text that a vector belongs to, as its feature names it; null if the text is gone. */
  findItem(passage: number): SemanticItem | null {
    const part = this.index.findPlace(passage)?.part;
    if (!part) return null;
    const kind = PROJECT_DOCUMENT_KINDS.find((one) => one === part.kind);
    return kind ? { kind, key: part.key } : { kind: "said", key: `${passage}` };
  }

  /** @returns false if the project's vectors are by now another model's or of another length */
  add(extent: CopyExtent, model: string, vectors: readonly NewVector[]): boolean {
    const dimensions = vectors.find(({ vector }) => vector !== null)?.vector?.length ?? null;
    return this.#driver.transaction(() => {
      const row = this.#driver.get(SELECT_DIMENSIONS, extent.projectRowId, model);
      if (!row) return false;
      const known = row.dimensions === null ? null : Number(row.dimensions);
      if (known !== null && dimensions !== null && known !== dimensions) return false;
      if (known === null) this.#driver.run(SET_DIMENSIONS, dimensions, extent.projectRowId);
      for (const { passage, vector } of vectors) {
        const body = vector && toBytes(vector);
        this.#driver.run(INSERT_VECTOR, extent.projectRowId, body, passage);
      }
      return true;
    });
  }

  /** Reads some vectors after an id, oldest first; `last` is the newest of them, or null if there are no more. */
  readBlock(
    { projectRowId: project, dimensions }: CopyExtent,
    beyond: number,
    count: number,
  ): { readonly block: VectorBlock<number>; readonly last: number | null } {
    const rows = this.#driver.all(SELECT_VECTORS, project, beyond, count);
    const width = dimensions ?? 0;
    const items: number[] = [];
    const numbers = new Float32Array(rows.length * width);
    for (const { passage, body } of rows) {
      const vector = toVector(body);
      if (vector === null || vector.length !== width) continue;
      numbers.set(vector, items.length * width);
      items.push(Number(passage));
    }
    const newest = rows.at(-1);
    return { block: { items, numbers }, last: newest ? Number(newest.id) : null };
  }

  #resolveKindRange(project: ProjectId, kind: SemanticKind): PassageRange {
    if (kind !== "said") return this.index.findRange(toProjectScope(project, kind), "session");
    return this.index.findRange({ sessionId: "" as SessionId, project }, "project");
  }
}

function toBytes({ buffer, byteOffset, byteLength }: Vector): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Copies the bytes, because a driver's bytes may begin anywhere in their buffer. */
function toVector(body: unknown): Vector | null {
  if (!(body instanceof Uint8Array) || body.byteLength % 4 !== 0) return null;
  return new Float32Array(body.slice().buffer);
}

const INSERT_MEANING = `
  INSERT INTO meaning (project, directory, model) VALUES (?, ?, ?)
  ON CONFLICT (project) DO UPDATE SET directory = excluded.directory`;

const SELECT_OTHER_MODEL = "SELECT 1 AS found FROM meaning WHERE project = ? AND model <> ?";

const CHANGE_MODEL =
  "UPDATE meaning SET model = ?, dimensions = NULL, removals = removals + 1 WHERE project = ?";

const SELECT_EXTENT = `
  SELECT project.id, dimensions, removals,
    (SELECT max(id) FROM vector WHERE vector.project = project.id) AS last
  FROM meaning JOIN project ON project.id = meaning.project WHERE key = ? AND model = ?`;

const SELECT_DIMENSIONS = "SELECT dimensions FROM meaning WHERE project = ? AND model = ?";

const SET_DIMENSIONS = "UPDATE meaning SET dimensions = ? WHERE project = ?";

const DELETE_OTHER_VECTORS = `
  DELETE FROM vector
  WHERE passage BETWEEN ? AND ? AND passage NOT IN (SELECT value FROM json_each(?))`;

const SELECT_PASSAGES_WITHOUT_VECTOR = `
  SELECT value FROM json_each(?)
  WHERE value NOT IN (SELECT passage FROM vector WHERE passage BETWEEN ? AND ?) ORDER BY key`;

/** Skips passages that were removed meanwhile, and those that another process has given a vector. */
const INSERT_VECTOR = `
  INSERT INTO vector (project, body, passage) SELECT ?, ?, id FROM passage WHERE id = ?
  ON CONFLICT (passage) DO NOTHING`;

const SELECT_VECTORS =
  "SELECT id, passage, body FROM vector WHERE project = ? AND id > ? ORDER BY id LIMIT ?";

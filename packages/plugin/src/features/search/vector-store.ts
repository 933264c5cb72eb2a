// Stores vectors of what passages mean; they act as another column of the search index.

import type { CorpusEntry, SemanticKind } from "../../feature-api/finders.ts";
import {
  ownScope,
  type PassageRange,
  PROJECT_KINDS,
  type ProjectKind,
} from "../../search-index/collection.ts";
import { REF_KINDS } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { Driver } from "../../storage/driver.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { Vector } from "./embedding-answer.ts";
import type { Block } from "./vector-scan.ts";

export interface NewVector {
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
  readonly project: number;
  readonly dimensions: number | null;
  readonly removals: number;
  readonly last: number;
}

/** At most this many texts of a kind have vectors, the newest; older ones are found by their words. */
const MAX_VECTORS: Readonly<Record<SemanticKind, number>> = {
  said: 30_000,
  commit: 10_000,
  memory: Number.MAX_SAFE_INTEGER,
  segment: Number.MAX_SAFE_INTEGER,
};

/** The place and text of a document whose text is stored elsewhere. */
const ELSEWHERE = { line: 1, text: "" };

export class VectorStore {
  readonly #driver: Driver;

  constructor(private readonly index: IndexStore) {
    this.#driver = index.driver;
  }

  /** Removes all vectors that another model made. */
  enter(key: ProjectId, directory: string, model: string): CopyExtent {
    this.#driver.transaction(() => {
      const project = this.index.project(key);
      this.#driver.run(INSERT_MEANING, project, directory, model);
      const former = this.#driver.get(SELECT_OTHER_MODEL, project, model);
      if (!former) return;
      this.#driver.run("DELETE FROM vector WHERE project = ?", project);
      this.#driver.run(CHANGE_MODEL, model, project);
    });
    const extent = this.extent(key, model);
    if (extent) return extent;
    throw new Error("Another model has indexed the project meanwhile.");
  }

  /** Returns null if there are none of this model. */
  extent(key: ProjectId, model: string): CopyExtent | null {
    const row = this.#driver.get(SELECT_EXTENT, key, model);
    return (
      row && {
        project: Number(row.id),
        dimensions: row.dimensions === null ? null : Number(row.dimensions),
        removals: Number(row.removals),
        last: Number(row.last ?? 0),
      }
    );
  }

  /** Turns texts stored elsewhere into documents, which replace all documents of their kind. */
  keep(project: ProjectId, kind: ProjectKind, listed: readonly CorpusEntry[]): void {
    const scope = ownScope(project, kind);
    this.#driver.transaction(() => {
      const known = this.index.digests(scope.sessionId);
      const standing = new Map(listed.map(({ key, digest }) => [key, digest]));
      const gone = [...known.keys()].filter((key) => standing.get(key) !== known.get(key));
      this.index.remove(scope.sessionId, REF_KINDS[kind], gone);
      const fresh = listed.filter(({ key, digest }) => known.get(key) !== digest);
      for (const { key, digest } of fresh.toReversed()) {
        const record = { key, messageId: "", kind, words: "", madeAtMs: 0 };
        this.index.put(scope, { record, digest, passages: [ELSEWHERE] });
      }
    });
  }

  /** Lists passages of a kind that have no vector yet, newest first. Passages that are too old lose theirs. */
  due(project: ProjectId, kind: SemanticKind): readonly number[] {
    const range = this.#kindRange(project, kind);
    const { first, last } = range;
    const kinds = kind === "said" ? (["user", "assistant"] as const) : [kind];
    const newest = JSON.stringify(this.index.newest(kinds, range, MAX_VECTORS[kind]));
    this.#driver.run(DELETE_OTHERS, first, last, newest);
    return this.#driver.all(SELECT_DUE, newest, first, last).map(({ value }) => Number(value));
  }

  /** Returns what a vector belongs to, as the feature that offers the texts names it; null if it is gone. */
  itemAt(passage: number): SemanticItem | null {
    const part = this.index.findPlace(passage)?.part;
    if (!part) return null;
    const kind = PROJECT_KINDS.find((one) => one === part.kind);
    return kind ? { kind, key: part.key } : { kind: "said", key: `${passage}` };
  }

  /** @returns false: the project's vectors are another model's by now, or of another length */
  add(extent: CopyExtent, model: string, vectors: readonly NewVector[]): boolean {
    const dimensions = vectors.find(({ vector }) => vector !== null)?.vector?.length ?? null;
    return this.#driver.transaction(() => {
      const row = this.#driver.get(SELECT_PROJECT, extent.project, model);
      if (!row) return false;
      const known = row.dimensions === null ? null : Number(row.dimensions);
      if (known !== null && dimensions !== null && known !== dimensions) return false;
      if (known === null) this.#driver.run(SET_DIMENSIONS, dimensions, extent.project);
      for (const { passage, vector } of vectors) {
        const body = vector && toBytes(vector);
        this.#driver.run(INSERT_VECTOR, extent.project, body, passage);
      }
      return true;
    });
  }

  /** Reads some vectors after an id, oldest first; `last` is the newest of them, or null if there are no more. */
  block(
    { project, dimensions }: CopyExtent,
    beyond: number,
    count: number,
  ): { readonly block: Block<number>; readonly last: number | null } {
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

  #kindRange(project: ProjectId, kind: SemanticKind): PassageRange {
    if (kind !== "said") return this.index.range(ownScope(project, kind), "session");
    return this.index.range({ sessionId: "" as SessionId, project }, "project");
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

const SELECT_PROJECT = "SELECT dimensions FROM meaning WHERE project = ? AND model = ?";

const SET_DIMENSIONS = "UPDATE meaning SET dimensions = ? WHERE project = ?";

const DELETE_OTHERS = `
  DELETE FROM vector
  WHERE passage BETWEEN ? AND ? AND passage NOT IN (SELECT value FROM json_each(?))`;

const SELECT_DUE = `
  SELECT value FROM json_each(?)
  WHERE value NOT IN (SELECT passage FROM vector WHERE passage BETWEEN ? AND ?) ORDER BY key`;

/** Skips passages that were removed meanwhile, and those that another process has given a vector. */
const INSERT_VECTOR = `
  INSERT INTO vector (project, body, passage) SELECT ?, ?, id FROM passage WHERE id = ?
  ON CONFLICT (passage) DO NOTHING`;

const SELECT_VECTORS =
  "SELECT id, passage, body FROM vector WHERE project = ? AND id > ? ORDER BY id LIMIT ?";

// The vectors' rows: of each project, by what they are of.

import { IndexStore } from "../../index/store.ts";
import type { Driver } from "../../storage/driver.ts";
import type { Vector } from "./answer.ts";
import type { Block } from "./scan.ts";

/** What a vector is of. */
export interface VectorItem {
  readonly kind: string;
  readonly key: string;
}

export interface NewVector extends VectorItem {
  readonly digest: string;
  readonly vector: Vector | null;
}

/** How far a copy of a project's vectors goes. */
export interface Extent {
  readonly project: number;
  readonly dimensions: number | null;
  readonly removals: number;
  readonly last: number;
}

export class VectorStore {
  constructor(private readonly driver: Driver) {}

  /** All that another model made goes. */
  enter(key: string, directory: string, model: string): Extent {
    this.driver.transaction(() => {
      const project = new IndexStore(this.driver).project(key);
      this.driver.run(INSERT_MEANING, project, directory, model);
      const former = this.driver.get(SELECT_OTHER_MODEL, project, model);
      if (!former) return;
      this.driver.run("DELETE FROM vector WHERE project = ?", project);
      this.driver.run(CHANGE_MODEL, model, project);
    });
    const extent = this.extent(key, model);
    if (extent) return extent;
    throw new Error("The project was entered by another model meanwhile.");
  }

  /** Null: none of this model's. */
  extent(key: string, model: string): Extent | null {
    const row = this.driver.get(SELECT_EXTENT, key, model);
    return (
      row && {
        project: Number(row.id),
        dimensions: row.dimensions === null ? null : Number(row.dimensions),
        removals: Number(row.removals),
        last: Number(row.last ?? 0),
      }
    );
  }

  /** By key, of what text each vector is. */
  digests(project: number, kind: string): ReadonlyMap<string, string> {
    const rows = this.driver.all(SELECT_DIGESTS, project, kind);
    return new Map(rows.map(({ key, digest }) => [String(key), String(digest)]));
  }

  /** @returns false: the project's vectors are another model's by now, or of another length. */
  add(extent: Extent, model: string, vectors: readonly NewVector[]): boolean {
    const dimensions = vectors.find(({ vector }) => vector !== null)?.vector?.length ?? null;
    return this.driver.transaction(() => {
      const row = this.driver.get(SELECT_PROJECT, extent.project, model);
      if (!row) return false;
      const known = row.dimensions === null ? null : Number(row.dimensions);
      if (known !== null && dimensions !== null && known !== dimensions) return false;
      if (known === null) this.driver.run(SET_DIMENSIONS, dimensions, extent.project);
      for (const { kind, key, digest, vector } of vectors) {
        this.#remove(extent.project, kind, [key]);
        this.driver.run(
          INSERT_VECTOR,
          extent.project,
          kind,
          key,
          digest,
          vector && bytesOf(vector),
        );
      }
      return true;
    });
  }

  remove(project: number, kind: string, keys: readonly string[]): void {
    this.driver.transaction(() => this.#remove(project, kind, keys));
  }

  #remove(project: number, kind: string, keys: readonly string[]): void {
    const gone = keys.filter((key) => this.driver.get(DELETE_VECTOR, project, kind, key) !== null);
    if (gone.length === 0) return;
    this.driver.run("UPDATE meaning SET removals = removals + 1 WHERE project = ?", project);
  }

  /** Some of those beyond an id, oldest first; `last` is the newest of them, null: there are no more. */
  block(
    { project, dimensions }: Extent,
    beyond: number,
    count: number,
  ): { readonly block: Block<VectorItem>; readonly last: number | null } {
    const rows = this.driver.all(SELECT_VECTORS, project, beyond, count);
    const width = dimensions ?? 0;
    const items: VectorItem[] = [];
    const numbers = new Float32Array(rows.length * width);
    for (const { kind, key, body } of rows) {
      const vector = vectorOf(body);
      if (vector === null || vector.length !== width) continue;
      numbers.set(vector, items.length * width);
      items.push({ kind: String(kind), key: String(key) });
    }
    const newest = rows.at(-1);
    return { block: { items, numbers }, last: newest ? Number(newest.id) : null };
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Vector): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Copied: a driver's bytes may begin anywhere in their buffer. */
function vectorOf(body: unknown): Vector | null {
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

const SELECT_DIGESTS = "SELECT key, digest FROM vector WHERE project = ? AND kind = ?";

const INSERT_VECTOR =
  "INSERT INTO vector (project, kind, key, digest, body) VALUES (?, ?, ?, ?, ?)";

const DELETE_VECTOR = "DELETE FROM vector WHERE project = ? AND kind = ? AND key = ? RETURNING id";

const SELECT_VECTORS =
  "SELECT id, kind, key, body FROM vector WHERE project = ? AND id > ? ORDER BY id LIMIT ?";

import { z } from "zod";
import type { Snapshot, SnapshotEntry } from "../../src/context/snapshot.ts";
import type { LoadResult, Rendering, SourceDefinition } from "../../src/context/source.ts";
import { createSystemContext, type SystemContext } from "../../src/context/system-context.ts";

/** A source whose loader answers what a test last set, and that counts what it is asked for. */
export class FakeSource {
  loads = 0;
  readonly rendered: Rendering[] = [];
  readonly definition: SourceDefinition<string>;

  constructor(
    readonly key: string,
    public answer: LoadResult<string>,
    kind: "removable" | "permanent" | "required",
  ) {
    this.definition = {
      key,
      schema: z.string(),
      load: async () => {
        this.loads += 1;
        return this.answer;
      },
      baseline: (current) => this.#render("baseline", `${key} is ${current}`),
      update: (previous, current) =>
        this.#render("update", `${key} was ${previous}, is ${current}`),
      ...(kind === "removable" && {
        removed: (previous) => this.#render("removal", `${key} is no longer ${previous}`),
      }),
      ...(kind === "required" && { required: true }),
    };
  }

  get context(): SystemContext {
    return createSystemContext(this.definition);
  }

  #render(rendering: Rendering, text: string): string {
    this.rendered.push(rendering);
    return text;
  }
}

export function removable(key: string, answer: LoadResult<string>): FakeSource {
  return new FakeSource(key, answer, "removable");
}

/** Has no text that takes it back. */
export function permanent(key: string, answer: LoadResult<string>): FakeSource {
  return new FakeSource(key, answer, "permanent");
}

export function required(key: string, answer: LoadResult<string>): FakeSource {
  return new FakeSource(key, answer, "required");
}

/** The entry as a test writes it: keys need no brand. */
export function entryAt(snapshot: Snapshot, key: string): SnapshotEntry | undefined {
  return (snapshot as Readonly<Record<string, SnapshotEntry>>)[key];
}

export function toSnapshot(entries: Readonly<Record<string, SnapshotEntry>>): Snapshot {
  return entries as Snapshot;
}

/** The result if it is of the kind that the test expects. */
export function expectKind<Result extends { readonly kind: string }, Kind extends Result["kind"]>(
  result: Result,
  kind: Kind,
): Extract<Result, { readonly kind: Kind }> {
  if (result.kind !== kind) throw new Error(`expected ${kind}, got ${JSON.stringify(result)}`);
  return result as Extract<Result, { readonly kind: Kind }>;
}

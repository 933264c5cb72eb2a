// Runs the registry's producers so that none can delay or break another.
import type { RegistryEntry } from "../../context/registry.ts";
import type { SourceScope } from "../../context/source-scope.ts";
import { describeFailure } from "../../sources/failure-text.ts";
import { withTimeout } from "../../sources/with-timeout.ts";
import { type AdaptedSource, adaptSource } from "./registered-source.ts";
import { parseEntryKey } from "./registration.ts";

/** The result of one entry of the registry at a boundary. */
export type Production =
  | {
      readonly kind: "given";
      readonly entry: string;
      readonly entryKey: string;
      readonly sources: readonly AdaptedSource[];
    }
  | {
      readonly kind: "failed";
      readonly entry: string;
      readonly entryKey: string;
      readonly reason: string;
    };

/** Asks producers so that none can cost another anything: not by failing, hanging or what it gives. */
export class Producers {
  /** Holds the running registrations: an entry that is registered again is asked again. */
  readonly #running = new Set<object>();

  constructor(private readonly timeoutMs: number) {}

  async ask(
    registration: RegistryEntry<SourceScope, unknown>,
    scope: SourceScope,
  ): Promise<Production> {
    const { key: entry, producer } = registration;
    const entryKey = parseEntryKey(entry);
    const failed = (reason: string): Production => ({ kind: "failed", entry, entryKey, reason });
    if (this.#running.has(registration))
      return failed("its producer has not answered the previous call");
    try {
      const asked = this.#run(registration, async () => producer(structuredClone(scope)));
      const late = () => failed(`its producer did not answer within ${this.timeoutMs} ms`);
      return await withTimeout(
        this.timeoutMs,
        asked.then((given): Production => {
          if (!Array.isArray(given)) return failed("its producer did not return a list of sources");
          return { kind: "given", entry, entryKey, sources: given.map(adaptSource) };
        }),
        late,
      );
    } catch (error) {
      return failed(describeFailure("its producer", error));
    }
  }

  async #run(registration: object, work: () => Promise<unknown>): Promise<unknown> {
    this.#running.add(registration);
    try {
      return await work();
    } finally {
      this.#running.delete(registration);
    }
  }
}

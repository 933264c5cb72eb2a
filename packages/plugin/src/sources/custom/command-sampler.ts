// A command's last output; runs the command again when that is old.
import { absent, type Loaded, Unavailable } from "../../context/source.ts";
import type { CommandEnd } from "./run-command.ts";

interface SamplerOptions {
  readonly refreshMs: number;
  readonly run: () => Promise<CommandEnd>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * What a command last said. It runs when it is asked for and its output is older than `refreshMs`;
 * while it runs its last output stands, so that no model call waits for it. Only the very first
 * run, and each run with `refreshMs` 0, is waited for. It never runs twice at once.
 */
export class CommandSampler {
  #last: Loaded<string> | null = null;
  #running: Promise<Loaded<string>> | null = null;
  #startedAtMs = 0;

  constructor(private readonly options: SamplerOptions) {}

  load(): Promise<Loaded<string>> {
    const last = this.#last;
    if (last === null) return this.#refresh();
    // A clock that was put back makes the output old, too.
    const ageMs = Math.abs(this.options.now() - this.#startedAtMs);
    if (this.options.refreshMs === 0) return this.#refresh();
    if (ageMs >= this.options.refreshMs) void this.#refresh();
    return Promise.resolve(last);
  }

  #refresh(): Promise<Loaded<string>> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<Loaded<string>> {
    this.#startedAtMs = this.options.now();
    const loaded = loadedOf(await this.options.run());
    this.#last = loaded;
    this.#running = null;
    return loaded;
  }
}

function loadedOf(end: CommandEnd): Loaded<string> {
  if (end.kind === "failed") return new Unavailable(end.reason);
  const output = end.output.trimEnd();
  return output === "" ? absent : output;
}

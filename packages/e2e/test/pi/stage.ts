// The real Pi with our extension, a home for each test, and what its tests look at.
import { afterEach, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { isObject, type JsonObject, objects } from "../../src/json.ts";
import { openPi, type PiHome, type PiProcess, type PiSettings } from "../../src/pi/pi.ts";
import { buildExtension } from "../../src/pi/scenario.ts";
import { type CallRecord, rejections } from "../../src/provider/record.ts";

const TREE = join(import.meta.dir, "../../fixtures/pi/tree.js");
const UPDATE = "<system-update>";

export interface PiStage {
  /** The home of the test that runs. */
  readonly pi: PiHome;
  /** A new home with our extension in it, and Pi started there; further extensions come before ours. */
  begin(settings?: Partial<PiSettings>): Promise<PiProcess>;
  /** The path of our extension. */
  extension(): string;
  calls(): readonly CallRecord[];
  last(): CallRecord;
}

/** Call once in a describe block: after each test, nothing that was sent may have been refused. */
export function usePi(): PiStage {
  let ours = "";
  let pi: PiHome | null = null;
  const home = () => {
    if (!pi) throw new Error("begin() first");
    return pi;
  };
  beforeAll(() => {
    ours = buildExtension();
  }, 600_000);
  afterEach(async () => {
    const { provider } = home();
    await home().close();
    pi = null;
    expect(rejections(provider.requests)).toEqual([]);
  });
  return {
    get pi() {
      return home();
    },
    async begin({ extensions = [], ...settings } = {}) {
      pi = await openPi({
        files: { "AGENTS.md": "Use tabs.\n" },
        ...settings,
        extensions: [...extensions, ours, TREE],
      });
      return pi.start();
    },
    extension: () => ours,
    calls: () => home().provider.calls,
    last() {
      const call = home().provider.calls.at(-1);
      if (!call) throw new Error("nothing was sent");
      return call;
    },
  };
}

/** How often a text stands in a request. */
export function times(call: CallRecord | undefined, said: string): number {
  return JSON.stringify(call?.body).split(said).length - 1;
}

/** The updates of a request. */
export function updates(call: CallRecord): number {
  return times(call, UPDATE);
}

export async function entries(running: PiProcess): Promise<readonly JsonObject[]> {
  const { data } = await running.ask({ type: "get_entries" });
  return isObject(data) ? objects(data.entries) : [];
}

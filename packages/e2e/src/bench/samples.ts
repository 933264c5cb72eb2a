// Times measured inside the host by a wrapped plugin.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PluginEntry } from "../host/host.ts";
import type { JsonObject } from "../json.ts";

/** One line of what fixtures/timed-plugin.js writes. */
export type Sample =
  | {
      readonly span: "start";
      readonly ms: number;
      readonly importMs: number;
      readonly cpuMs: number;
    }
  /** What the plugin loads after the host's start. */
  | { readonly span: "loaded"; readonly ms: number }
  | {
      readonly span: "messages";
      readonly session: string;
      readonly ms: number;
      readonly count: number;
    }
  | { readonly span: "system"; readonly session: string; readonly ms: number }
  | { readonly span: "after"; readonly ms: number };

const WRAPPER = join(import.meta.dir, "../../fixtures/timed-plugin.js");

/** A file in a folder of its own, gone when the process ends. */
export function newSampleFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), "session-runtime-bench-")), "samples.jsonl");
  process.on("exit", () => rmSync(dirname(file), { recursive: true, force: true }));
  return file;
}

/** The plugin, wrapped so that it is timed inside the host. */
export function timedPlugin(entry: string, samples: string): PluginEntry {
  return [WRAPPER, { entry, samples }];
}

/** The same with options of its own. */
export function timedPluginWith(options: JsonObject, entry: string, samples: string): PluginEntry {
  return [WRAPPER, { entry, options, samples }];
}

export function readSamples(file: string): readonly Sample[] {
  return readLines<Sample>(file);
}

/** A file of JSON lines that the host has written. */
export function readLines<Line>(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Line => JSON.parse(line));
}

/** One model call's way through both hooks, and the work that came after it was sent. */
export interface TimedPass {
  readonly messages: number;
  readonly hooksMs: number;
  readonly afterMs: number;
}

/** In their order; what came after the send counts for the last pass before it, whosever it was. */
export function toTimedPasses(samples: readonly Sample[]): readonly TimedPass[] {
  const passes: TimedPass[] = [];
  const newest = new Map<string, number>();
  const amend = (at: number | undefined, change: (pass: TimedPass) => Partial<TimedPass>) => {
    const pass = at === undefined ? undefined : passes[at];
    if (pass && at !== undefined) passes[at] = { ...pass, ...change(pass) };
  };
  for (const sample of samples) {
    switch (sample.span) {
      case "messages":
        newest.set(sample.session, passes.length);
        passes.push({ messages: sample.count, hooksMs: sample.ms, afterMs: 0 });
        break;
      case "system":
        amend(newest.get(sample.session), ({ hooksMs }) => ({ hooksMs: hooksMs + sample.ms }));
        break;
      case "after":
        amend(passes.length - 1, ({ afterMs }) => ({ afterMs: afterMs + sample.ms }));
        break;
      case "start":
      case "loaded":
        break;
    }
  }
  return passes;
}

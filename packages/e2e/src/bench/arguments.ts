// What `npm run bench` was asked for.
import { join } from "node:path";
import { SECTION_NAMES, type SectionName } from "./targets.ts";

export interface BenchRequest {
  /** In the order in which they are measured; none: the page is written again from what is kept. */
  readonly sections: readonly SectionName[];
  /** A folder for what a benchmark knows beyond its tables; null: it isn't wanted. */
  readonly details: string | null;
  /** Plugins to measure beside ours, by name. */
  readonly peers: readonly Peer[];
  /** The folder of the recorded sessions. */
  readonly traces: string;
  /** Names of recorded sessions, or `all`; none: the usual half dozen. */
  readonly recorded: readonly string[];
}

export const TRACES = join(import.meta.dir, "../../../../../shared/traces");

export interface Peer {
  readonly name: string;
  /** As the host's config names it. */
  readonly entry: string;
}

export const USAGE = `npm run bench [-- SECTION…] [--details FOLDER] [--peer NAME=PLUGIN]…
              [--traces FOLDER] [--all] [--session NAME]…

Measures all, or what is named, and writes docs/benchmarks.json and, from it, docs/benchmarks.md
and docs/lab/benchmarks.md. \`npm run bench -- page\` writes the pages alone: sections of another policy of history are marked stale.

"stale" measures nothing: it lists the sections whose sources have changed since they were measured.

Sections: ${SECTION_NAMES.join(" ")}
"history" is all of history; "history 60k" is history-60k.
--details FOLDER  history: calls and unanswered questions, as files
--peer NAME=PATH  history: another plugin, measured beside ours
--traces FOLDER   real: where sessions.jsonl is; else ../shared/traces beside the repository
--session NAME    real: this recorded session; --all: all of them`;

/** Null: it isn't understood. */
export function readRequest(given: readonly string[]): BenchRequest | null {
  const wanted = new Set<SectionName>();
  const peers: Peer[] = [];
  const recorded: string[] = [];
  let details: string | null = null;
  let traces = TRACES;
  const words = [...given];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--details") {
      details = words.shift() ?? null;
      if (details === null) return null;
    } else if (word === "--all") {
      recorded.push("all");
    } else if (word === "--traces" || word === "--session") {
      const value = words.shift();
      if (value === undefined) return null;
      if (word === "--traces") traces = value;
      else recorded.push(value);
    } else if (word === "--peer") {
      const peer = readPeer(words.shift() ?? "");
      if (peer === null) return null;
      peers.push(peer);
    } else if (given.join() !== "page") {
      const parts = SECTION_NAMES.filter((name) => name.startsWith(`${word}-`));
      const named = parts.filter((name) => words.some((next) => name === `${word}-${next}`));
      const found = SECTION_NAMES.find((name) => name === word);
      const chosen = named.length > 0 ? named : found ? [found] : parts;
      if (chosen.length === 0) return null;
      for (const name of chosen) wanted.add(name);
      while (named.some((name) => name === `${word}-${words[0]}`)) words.shift();
    }
  }
  const isPage = given.join() === "page";
  const sections = SECTION_NAMES.filter(
    (name) => !isPage && (wanted.size === 0 || wanted.has(name)),
  );
  return { sections, details, peers, traces, recorded };
}

function readPeer(text: string): Peer | null {
  const [name, entry] = text.split(/=(.*)/s);
  return name && entry ? { name, entry } : null;
}

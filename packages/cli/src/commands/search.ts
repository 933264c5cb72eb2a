// `session-runtime search`.
import { existsSync } from "node:fs";
import { projectOf } from "../../../plugin/src/memory/identity.ts";
import type { ReadableMemory } from "../../../plugin/src/memory/record.ts";
import { searchable, searchTexts } from "../../../plugin/src/memory/search.ts";
import { sqliteMemoryStore } from "../../../plugin/src/memory/sqlite-store.ts";
import { indexPath } from "../../../plugin/src/recall/index-file.ts";
import { IndexStore, type PassageRange } from "../../../plugin/src/recall/index-store.ts";
import { lookUp, type ShownHit } from "../../../plugin/src/recall/look-up.ts";
import { type Term, termsOf } from "../../../plugin/src/recall/words.ts";
import { visible } from "../../../plugin/src/status/visible.ts";
import { ago } from "../../../plugin/src/status/wording.ts";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { withStorageErrors } from "../../../plugin/src/storage/errors.ts";
import { runtimeReader } from "../../../plugin/src/storage/open-driver.ts";
import type { SessionId } from "../../../plugin/src/storage/records.ts";
import { StorageError } from "../../../plugin/src/storage/store.ts";
import { CliError } from "../cli-error.ts";
import { dataCommand, reading as readingDatabase } from "../database/data-command.ts";
import type { DatabasePlace } from "../database/place.ts";
import { EXIT } from "../exit-codes.ts";
import { readHostHistory } from "../host-history/open.ts";
import { hostTitles } from "../host-history/titles.ts";
import { hostSessions } from "../host-history/whole-sessions.ts";
import { typed } from "../invocation.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";

export const search = dataCommand({
  name: "search",
  summary: "Find what was said or seen in your sessions",
  details: [
    "By words, names, paths, numbers, or pieces of them; rare words count more. It finds",
    `what is indexed: \`${typed("index")}\` indexes everything that OpenCode has.`,
  ],
  args: {
    query: { type: "positional", required: true, description: "What to look for, in quotes" },
    project: { type: "boolean", description: "Only this folder's project" },
    session: { type: "string", description: "Only this session", valueHint: "id" },
  },
  examples: [
    { line: 'session-runtime search "port staging"', does: "looks through all sessions" },
    { line: "session-runtime search E_TOKEN --project", does: "through this project's" },
  ],
  run: async (args, terminal, place) => {
    const path = indexPath(place.path);
    if (!existsSync(path)) throw noIndex(path);
    const terms = termsOf(args.query);
    if (terms.length === 0) throw noWords();
    const project = args.project === true ? await projectHere(terminal) : null;
    const hits = await reading(path, (driver) => {
      const store = new IndexStore(driver);
      const range = rangeOf(store, args.session, project);
      return range ? lookUp(store, range, terms, new Set()).hits : [];
    });
    const memories = args.session === undefined ? await memoriesFound(place, terms) : [];
    if (args.json === true) printJson(terminal, { hits: hits.map(valuesOf), memories });
    else printLine(terminal, await render(hits, memories, terminal));
    return EXIT.done;
  },
});

/** Of every project and session. */
const EVERYTHING: PassageRange = { first: 0, last: Number.MAX_SAFE_INTEGER };

function rangeOf(
  store: IndexStore,
  session: string | undefined,
  project: string | null,
): PassageRange | null {
  const sessionId = session as SessionId | undefined;
  if (sessionId !== undefined) {
    const range = store.range({ sessionId, project: "" }, "session");
    if (range) return range;
    throw new CliError(
      "session-missing",
      `Nothing of the session ${visible(sessionId)} is indexed.`,
      `\`${typed("sessions")}\` lists sessions, \`${typed("index")}\` indexes them.`,
      EXIT.missing,
    );
  }
  if (project === null) return EVERYTHING;
  return store.range({ sessionId: "" as SessionId, project }, "project");
}

/** As OpenCode knows it by the newest session that worked here. */
async function projectHere({ env }: Terminal): Promise<string> {
  const sessions = await readHostHistory(env, hostSessions);
  const found =
    sessions.kind === "read"
      ? sessions.value.find(({ directory }) => directory === process.cwd())
      : undefined;
  return found?.project ?? process.cwd();
}

async function reading<T>(path: string, work: (driver: Driver) => T): Promise<T> {
  const open = await runtimeReader();
  try {
    const driver = withStorageErrors(open(path), path, () => undefined);
    try {
      driver.exec("PRAGMA busy_timeout = 1000");
      return work(driver);
    } finally {
      driver.close();
    }
  } catch (error) {
    throw error instanceof StorageError ? unreadable(path, error) : error;
  }
}

const MOST_MEMORIES = 5;

/** Of this folder's project and of those that share with it. A database that can't be read has none. */
async function memoriesFound(
  place: DatabasePlace,
  terms: readonly Term[],
): Promise<readonly ReadableMemory[]> {
  if (!existsSync(place.path)) return [];
  try {
    return await readingDatabase(place, async (driver) => {
      const store = sqliteMemoryStore(driver);
      const { id } = await projectOf(process.cwd(), (worktree) => store.knownAt(worktree));
      const all = await store.readable(id, Number.MAX_SAFE_INTEGER);
      const texts = all.map((memory) => searchable(memory, memory.text));
      return searchTexts(texts, terms).slice(0, MOST_MEMORIES);
    });
  } catch (error) {
    if (error instanceof StorageError) return [];
    throw error;
  }
}

function valuesOf({ part, lines }: ShownHit) {
  const { ref, sessionId, messageId, words, madeAtMs } = part;
  return { ref, sessionId, messageId, words, madeAtMs, lines };
}

async function render(
  hits: readonly ShownHit[],
  memories: readonly ReadableMemory[],
  terminal: Terminal,
): Promise<string> {
  if (hits.length + memories.length === 0) {
    return `Nothing found in what is indexed. \`${typed("index")}\` indexes everything that OpenCode has.`;
  }
  const titles = await hostTitles(terminal.env);
  const nowMs = Date.now();
  const remembered = memories.map(({ ref, category, text, changedAtMs }) => {
    const head = `${ref}  memory, ${category}, ${ago(changedAtMs, nowMs)}`;
    return `${terminal.style.accent(head)}\n  1| ${visible(text)}`;
  });
  const found = hits.map(({ part, lines }) => {
    const title = titles.get(part.sessionId);
    const where = [part.sessionId, ...(title === undefined ? [] : [title])].join(", ");
    const head = `${part.ref}  ${part.words}, ${ago(part.madeAtMs, nowMs)}, ${where}`;
    const quoted = lines.map(({ number, text }) => `  ${number}| ${visible(text)}`);
    return [terminal.style.accent(visible(head)), ...quoted].join("\n");
  });
  return [...found, ...remembered].join("\n\n");
}

function noIndex(path: string): CliError {
  return new CliError(
    "index-missing",
    `There is no search index at ${path}.`,
    `\`${typed("index")}\` makes it from what OpenCode has.`,
    EXIT.missing,
  );
}

function noWords(): CliError {
  return new CliError(
    "usage",
    "The query has no letter or digit to look for.",
    "Give words, names, paths, numbers or an error's text.",
    EXIT.usage,
  );
}

function unreadable(path: string, { code }: StorageError): CliError {
  return new CliError(
    "index-unreadable",
    `The search index ${path} can't be read (${code.replaceAll("_", " ")}).`,
    `If the problem persists, delete the file: \`${typed("index")}\` makes it again.`,
    EXIT.failed,
  );
}

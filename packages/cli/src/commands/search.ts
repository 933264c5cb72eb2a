// `session-runtime search`.
import { type Finding, fuseByRank } from "@session-runtime/opencode/feature-api/finders";
import { lookUpHits, type ShownHit } from "@session-runtime/opencode/features/search/answer";
import { parseTerms } from "@session-runtime/opencode/features/search/query-words";
import { findProject } from "@session-runtime/opencode/project/find-project";
import {
  HISTORY_RANGE,
  type PassageRange,
} from "@session-runtime/opencode/search-index/collection";
import { hasIndex, toIndexPath } from "@session-runtime/opencode/search-index/place";
import { IndexStore } from "@session-runtime/opencode/search-index/store";
import { formatAgo, makeVisible } from "@session-runtime/opencode/status/wording";
import { connect, withConnection } from "@session-runtime/opencode/storage/connect";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import type { ProjectId, SessionId } from "@session-runtime/opencode/storage/records";
import { CliError, EXIT, misuse } from "../cli-error.ts";
import { dataCommand } from "../database/data-command.ts";
import { typed } from "../invocation.ts";
import { findHere, type SearchResults } from "../search/project-finders.ts";
import { withPlaces } from "../search/project-ids.ts";
import { readTitles } from "../sessions/titles.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";

export const search = dataCommand({
  name: "search",
  summary: "Find what was said or seen in your sessions",
  details: [
    "It searches by words, names, paths, numbers, or parts of them; rare words count more, in",
    `what is indexed: \`${typed("index")}\` indexes all of OpenCode's sessions, and Pi's are`,
    "indexed as they run. In this folder's project it also finds memories, notes, commits and",
    "summaries, and texts of similar meaning if `vectors.url` names an endpoint for embeddings.",
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
    const path = toIndexPath(place.path);
    if (!hasIndex(path)) throw noIndex(path);
    const terms = parseTerms(args.query);
    if (terms.length === 0) throw noWords();
    const directory = process.cwd();
    const { id: project } = await withPlaces(place.path, (places) =>
      findProject(directory, places),
    );
    const hits = await reading(path, (driver) => {
      const store = new IndexStore(driver);
      const range = resolveRange(store, args.session, args.project === true ? project : null);
      return lookUpHits(store, range, terms, () => false).hits;
    });
    const { env } = terminal;
    const findings =
      args.session === undefined
        ? collectFindings(
            await findHere(args.query, {
              ...{ path: place.path, project, env },
            }),
            hits,
          )
        : [];
    if (args.json === true) printJson(terminal, { hits: hits.map(toHitJson), findings });
    else printLine(terminal, await render(hits, findings, terminal));
    return EXIT.done;
  },
});

function resolveRange(
  store: IndexStore,
  session: string | undefined,
  project: ProjectId | null,
): PassageRange {
  const sessionId = session as SessionId | undefined;
  if (sessionId !== undefined) {
    const range = store.findRange({ sessionId, project: "" as ProjectId }, "session");
    if (store.count(range).parts > 0) return range;
    throw new CliError(
      "session-missing",
      `Nothing of the session ${makeVisible(sessionId)} is indexed.`,
      `\`${typed("sessions")}\` lists sessions, \`${typed("index")}\` indexes them.`,
      EXIT.missing,
    );
  }
  if (project === null) return HISTORY_RANGE;
  return store.findRange({ sessionId: "" as SessionId, project }, "project");
}

async function reading<T>(path: string, work: (driver: Driver) => T): Promise<T> {
  try {
    return await withConnection(connect(path, "read"), work);
  } catch (error) {
    throw error instanceof StorageError ? unreadable(path, error) : error;
  }
}

/** Collects findings, without those that the hits show already. */
function collectFindings(
  { words, semantic }: SearchResults,
  hits: readonly ShownHit[],
): readonly Finding[] {
  const shown = new Set(hits.map(({ part }) => part.ref));
  const all = fuseByRank([words.findings, semantic.findings], ({ ref }) => ref);
  return all.filter(({ ref }) => !shown.has(ref));
}

function toHitJson({ part, lines }: ShownHit) {
  const { ref, sessionId, messageId, words, madeAtMs } = part;
  return { ref, sessionId, messageId, words, madeAtMs, lines };
}

async function render(
  hits: readonly ShownHit[],
  findings: readonly Finding[],
  terminal: Terminal,
): Promise<string> {
  if (hits.length + findings.length === 0) {
    return `Nothing found in what is indexed. \`${typed("index")}\` indexes all of OpenCode's sessions; Pi's are indexed as they run.`;
  }
  const titles = await readTitles(
    terminal.env,
    hits.map(({ part }) => part.sessionId),
  );
  const nowMs = Date.now();
  const others = findings.map(({ ref, words, lines, madeAtMs }) => {
    const quoted = lines.map((text, at) => `  ${at + 1}| ${makeVisible(text)}`);
    const head = makeVisible(`${ref}  ${words}, ${formatAgo(madeAtMs, nowMs)}`);
    return [terminal.style.accent(head), ...quoted].join("\n");
  });
  const found = hits.map(({ part, lines }) => {
    const title = titles.get(part.sessionId);
    const where = [part.sessionId, ...(title === undefined ? [] : [title])].join(", ");
    const { style } = terminal;
    const quoted = lines.map(({ number, text }) => `  ${number}| ${makeVisible(text)}`);
    return [
      style.accent(makeVisible(`${part.ref}  ${part.words}`)),
      style.dim(makeVisible(`  ${formatAgo(part.madeAtMs, nowMs)}, ${where}`)),
      ...quoted,
    ].join("\n");
  });
  return [...found, ...others].join("\n\n");
}

function noIndex(path: string): CliError {
  return new CliError(
    "index-missing",
    `There is no search index at ${path}.`,
    `\`${typed("index")}\` creates it from OpenCode's sessions.`,
    EXIT.missing,
  );
}

function noWords(): CliError {
  return misuse(
    "The query has no letter or digit to look for.",
    "Search for words, names, paths, numbers or an error's text.",
  );
}

function unreadable(path: string, { code }: StorageError): CliError {
  return new CliError(
    "index-unreadable",
    `The search index ${path} can't be read (${code.replaceAll("_", " ")}).`,
    `If the problem persists, delete the file: \`${typed("index")}\` creates it again.`,
  );
}

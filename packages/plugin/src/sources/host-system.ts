// Splits the host's system string into preamble, blocks and live part; an unchanged one is not split again.
import {
  type BlockKind,
  type ContextKind,
  contextKinds,
  findBlockEnd,
  findNextHead,
  type HostText,
} from "./host-blocks.ts";

/** Holds what is known about the call whose system string is read. */
export interface HostSystemQuery {
  /** The model's `model.api.id`, as the host prints it; not the catalogue's id. */
  readonly modelApiId: string;
  readonly providerId: string;
  readonly directory: string;
  /** The newest user message's `info.system`; null if it has none. */
  readonly ownSystem: string | null;
  /**
   * Says whether the newest user message asks for structured output (`info.format.type === "json_schema"`).
   */
  readonly structuredNote: "present" | "absent";
  /** The host's rendering of the instructions as our loader sees them now; null if it sees none. */
  readonly expectedInstructions: string | null;
}

/** A piece of the host's string; all pieces joined by line breaks are that string. */
interface SystemPiece {
  readonly kind: "preamble" | BlockKind | "live";
  readonly text: string;
}

interface ParsedBlocks extends Readonly<Record<ContextKind, string | null>> {
  readonly environment: string;
}

/**
 * Holds the split string. The preamble is the agent's own prompt; the live part has unknown blocks, the
 * structured note and the prompt's own system.
 */
interface HostSystem extends HostText {
  readonly blocks: ParsedBlocks;
  readonly pieces: readonly SystemPiece[];
}

/** Splits the host's system string; null if it has no environment block of this model and directory. */
export function parseHostSystem(text: string, query: HostSystemQuery): HostSystem | null {
  const environment = findEnvironment(text, query);
  if (environment === null) return null;
  const { rest, tail } = cutTail(text.slice(environment.end), query);
  const context = scanPieces(rest, query.expectedInstructions);
  const preamble = environment.start === 0 ? null : text.slice(0, environment.start - 1);
  const block = text.slice(environment.start, environment.end);
  const pieces: SystemPiece[] = [
    ...(preamble === null ? [] : [{ kind: "preamble", text: preamble } as const]),
    { kind: "environment", text: block },
    ...context,
    ...tail.map((part) => ({ kind: "live", text: part }) as const),
  ];
  const live = pieces.filter((piece) => piece.kind === "live").map((piece) => piece.text);
  const findText = (kind: ContextKind) =>
    context.find((piece) => piece.kind === kind)?.text ?? null;
  return {
    preamble,
    blocks: {
      environment: block,
      references: findText("references"),
      instructions: findText("instructions"),
      mcp: findText("mcp"),
      skills: findText("skills"),
    },
    live: live.length === 0 ? null : live.join("\n"),
    standIns: {},
    pieces,
  };
}

/**
 * Returns the index of the host's own string among a call's strings, or -1: other plugins add theirs before or
 * after it. Only a string with the host's own marks is read, so that a foreign one costs nothing.
 */
export function findHostStringIndex(strings: readonly string[]): number {
  return strings.findIndex((text) => text.includes(ENVIRONMENT_BLOCK_START));
}

const ENVIRONMENT_BLOCK_START =
  "\nHere is some useful information about the environment you are running in:\n<env>\n  Working directory: ";

const environmentRestPattern =
  /[^\n]*\n {2}Is directory a git repo: (?:yes|no)\n {2}Platform: [^\n]*\n {2}Today's date: [^\n]*\n<\/env>(?=\n|$)/y;

/** Finds the first environment block: a repetition is part of the instructions, which come later. */
function findEnvironment(
  text: string,
  query: HostSystemQuery,
): { start: number; end: number } | null {
  const head =
    `You are powered by the model named ${query.modelApiId}. ` +
    `The exact model ID is ${query.providerId}/${query.modelApiId}\n` +
    "Here is some useful information about the environment you are running in:\n<env>\n" +
    `  Working directory: ${query.directory}\n  Workspace root folder: `;
  for (let start = text.indexOf(head); start !== -1; start = text.indexOf(head, start + 1)) {
    if (start > 0 && text[start - 1] !== "\n") continue;
    environmentRestPattern.lastIndex = start + head.length;
    if (environmentRestPattern.test(text)) return { start, end: environmentRestPattern.lastIndex };
  }
  return null;
}

const structuredOutputNote =
  "\nIMPORTANT: The user has requested structured output. You MUST use the StructuredOutput tool";

/** Cuts the known live parts off the end, as exact suffixes: the prompt's own system, then the note. */
function cutTail(text: string, query: HostSystemQuery): { rest: string; tail: readonly string[] } {
  const tail: string[] = [];
  let rest = text;
  if (query.ownSystem && rest.endsWith(`\n${query.ownSystem}`)) {
    tail.unshift(query.ownSystem);
    rest = rest.slice(0, -query.ownSystem.length - 1);
  }
  if (query.structuredNote === "present") {
    const at = rest.lastIndexOf(structuredOutputNote);
    if (at !== -1 && rest.indexOf("\n", at + 1) === -1) {
      tail.unshift(rest.slice(at + 1));
      rest = rest.slice(0, at);
    }
  }
  return { rest, tail };
}

/** Scans the pieces; `text` is empty or begins with the line break before its first piece. */
function scanPieces(text: string, expected: string | null): SystemPiece[] {
  const pieces: SystemPiece[] = [];
  let possible = contextKinds;
  let at = 0;
  while (at < text.length) {
    const start = at + 1;
    const match = possible
      .map((kind) => ({ kind, end: findBlockEnd(text, kind, start, expected) }))
      .find(({ end }) => end !== -1);
    if (match !== undefined) {
      pieces.push({ kind: match.kind, text: text.slice(start, match.end) });
      possible = possible.slice(possible.indexOf(match.kind) + 1);
      at = match.end;
      continue;
    }
    // A block that opens here without an end never has one, so its kind is not searched again.
    possible = possible.filter((kind) => findNextHead(text, kind, at) !== at);
    const next = possible
      .map((kind) => findNextHead(text, kind, start))
      .filter((found) => found !== -1);
    const end = Math.min(text.length, ...next);
    pieces.push({ kind: "live", text: text.slice(start, end) });
    at = end;
  }
  return pieces;
}

interface SystemReading {
  readonly text: string;
  readonly query: HostSystemQuery;
  readonly system: HostSystem | null;
}

/** Reads the host's system strings, and reuses the result for an equal string and query. */
export class HostSystemReader {
  #last: SystemReading | null = null;

  read(text: string, query: HostSystemQuery): HostSystem | null {
    const last = this.#last;
    if (last && last.text === text && isSameQuery(last.query, query)) return last.system;
    const system = parseHostSystem(text, query);
    this.#last = { text, query, system };
    return system;
  }
}

function isSameQuery(left: HostSystemQuery, right: HostSystemQuery): boolean {
  const names = Object.keys(left) as (keyof HostSystemQuery)[];
  return names.every((name) => left[name] === right[name]);
}

import type { ObservedKind } from "../../src/sources/observed.ts";

/** What a model that read a call from its beginning to its end takes for true. */
export interface Beliefs {
  readonly date: string | null;
  readonly model: string | null;
  /** Instructions by path, in the order in which they were told. */
  readonly instructions: ReadonlyMap<string, string>;
  readonly observed: Readonly<Record<ObservedKind, string | null>>;
}

interface Mind {
  date: string | null;
  model: string | null;
  instructions: Map<string, string>;
  observed: Record<ObservedKind, string | null>;
}

/** A kind of statement: how it looks on the wire, and what it does to beliefs. */
interface Statement {
  readonly looks: RegExp;
  readonly learn: (mind: Mind, match: RegExpExecArray) => void;
}

const skillsHead =
  "Skills provide specialized instructions and workflows for specific tasks\\.\\n" +
  "Use the skill tool to load a skill when a task matches its description\\.\\n";
const referencesHead =
  "Project references provide additional directories that can be accessed when relevant\\.\\n";

const holds =
  (kind: ObservedKind) =>
  (mind: Mind, [text]: RegExpExecArray): void => {
    mind.observed[kind] = text;
  };
const gone = (kind: ObservedKind) => (mind: Mind) => {
  mind.observed[kind] = null;
};

const statements: readonly Statement[] = [
  {
    looks: /You are (?:now )?powered by the model named (\S+)\. /,
    learn: (mind, [, model]) => {
      mind.model = model ?? null;
    },
  },
  {
    looks: /Today's date(?: is now)?: ([^\n]+)/,
    learn: (mind, [, date]) => {
      mind.date = date ?? null;
    },
  },
  {
    // Nested ones are no part of the aggregate: only their own words take them back.
    looks:
      /These instructions replace all previously loaded ambient instructions\.|Previously loaded instructions no longer apply\./,
    learn: (mind) => {
      const kept = [...mind.instructions].filter(([path]) => isNested(path));
      mind.instructions = new Map(kept);
    },
  },
  {
    looks: /Instructions from: (\S+)\n([^\n]*)/,
    learn: (mind, [, path = "", content = ""]) => {
      mind.instructions.set(path, content === "(empty)" ? "" : content);
    },
  },
  {
    looks: /The instructions from (\S+) no longer apply\./,
    learn: (mind, [, path = ""]) => {
      mind.instructions.delete(path);
    },
  },
  {
    looks: new RegExp(`${referencesHead}<available_references>[\\s\\S]*?</available_references>`),
    learn: holds("references"),
  },
  { looks: /Project reference guidance is no longer available/, learn: gone("references") },
  { looks: /<mcp_instructions>[\s\S]*?<\/mcp_instructions>/, learn: holds("mcp") },
  { looks: /No MCP server has instructions any more/, learn: gone("mcp") },
  {
    looks: new RegExp(
      `${skillsHead}(?:No skills are currently available\\.|<available_skills>[\\s\\S]*?</available_skills>)`,
    ),
    learn: holds("skills"),
  },
  { looks: /Skill guidance is no longer available/, learn: gone("skills") },
];

/** Of the world's files these are found by reading only (see `World.path`). */
function isNested(path: string): boolean {
  return path.includes("/sub/");
}

const any = new RegExp(statements.map(({ looks }) => looks.source).join("|"), "g");

/** Reads the texts in the order of the wire. Knows the host's formats, and nothing of the ledger. */
export function beliefsFrom(texts: readonly string[]): Beliefs {
  const mind: Mind = {
    date: null,
    model: null,
    instructions: new Map(),
    observed: { references: null, mcp: null, skills: null },
  };
  for (const text of texts) {
    for (const [said] of text.matchAll(any)) {
      for (const { looks, learn } of statements) {
        const match = looks.exec(said);
        if (match?.index === 0) {
          learn(mind, match);
          break;
        }
      }
    }
  }
  return mind;
}

/** The ambient instructions that are believed, or the nested ones; empty texts left out. */
export function selectInstructions(
  beliefs: Beliefs,
  kind: "ambient" | "nested",
): ReadonlyMap<string, string> {
  return new Map(
    [...beliefs.instructions].filter(
      ([path, content]) => content !== "" && isNested(path) === (kind === "nested"),
    ),
  );
}

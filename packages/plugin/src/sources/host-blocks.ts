// The host's standing text in pieces, and how each block of it begins and ends.

/** Lists the blocks that the host puts into its system string, in its order. */
export type BlockKind = "environment" | "references" | "instructions" | "mcp" | "skills";

/** Lists the blocks after the environment, in the host's order. */
export type ContextKind = Exclude<BlockKind, "environment">;

export const contextKinds: readonly ContextKind[] = ["references", "instructions", "mcp", "skills"];

export const instructionHead = "Instructions from: ";

const skillsHead =
  "Skills provide specialized instructions and workflows for specific tasks.\n" +
  "Use the skill tool to load a skill when a task matches its description.\n";
const noSkillsText = "No skills are currently available.";

const blockHeads: Readonly<Record<ContextKind, string>> = {
  references:
    "Project references provide additional directories that can be accessed when relevant.\n" +
    "<available_references>\n",
  instructions: instructionHead,
  mcp: "<mcp_instructions>\n",
  skills: skillsHead,
};

/**
 * Returns the index of the line break before the next line from `from` on that opens a block of this kind, or
 * -1.
 */
export function findNextHead(text: string, kind: ContextKind, from: number): number {
  return text.indexOf(`\n${blockHeads[kind]}`, from);
}

/**
 * Returns the end (exclusive) of the block of this kind that begins exactly at `start`, or -1. Instructions
 * have no end mark: `expected` is their text as far as it is known; otherwise they extend to what the host
 * puts after them.
 */
export function findBlockEnd(
  text: string,
  kind: ContextKind,
  start: number,
  expected: string | null,
): number {
  if (!text.startsWith(blockHeads[kind], start)) return -1;
  switch (kind) {
    case "references":
      return findLineEnd(text, "\n</available_references>", start);
    case "mcp":
      return findLineEnd(text, "\n</mcp_instructions>", start);
    case "skills": {
      const list = start + skillsHead.length;
      if (text.startsWith(noSkillsText, list)) {
        const end = list + noSkillsText.length;
        return endsLine(text, end) ? end : -1;
      }
      return text.startsWith("<available_skills>\n", list)
        ? findLineEnd(text, "\n</available_skills>", list)
        : -1;
    }
    case "instructions":
      return findInstructionsEnd(text, start, expected);
  }
}

function findInstructionsEnd(text: string, start: number, expected: string | null): number {
  if (expected !== null && text.startsWith(expected, start)) {
    const end = start + expected.length;
    // An extra file after ours means that the host saw more files than we did: all of the text is then taken.
    if (endsLine(text, end) && !text.startsWith(`\n${instructionHead}`, end)) return end;
  }
  const skills = findLastSkills(text, start);
  return findMcpStart(text, start, skills === -1 ? text.length : skills);
}

/** Returns the index of the line break before the last complete skills block after `from`, or -1. */
function findLastSkills(text: string, from: number): number {
  let at = text.lastIndexOf(`\n${skillsHead}`);
  while (at > from) {
    if (findBlockEnd(text, "skills", at + 1, null) !== -1) return at;
    at = text.lastIndexOf(`\n${skillsHead}`, at - 1);
  }
  return -1;
}

/** Returns the index of the line break before an MCP block that ends exactly at `end`; otherwise `end`. */
function findMcpStart(text: string, from: number, end: number): number {
  const close = "\n</mcp_instructions>";
  if (!text.startsWith(close, end - close.length)) return end;
  const at = text.lastIndexOf(`\n${blockHeads.mcp}`, end - close.length);
  return at > from ? at : end;
}

function findLineEnd(text: string, mark: string, from: number): number {
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    const end = at + mark.length;
    if (endsLine(text, end)) return end;
  }
  return -1;
}

function endsLine(text: string, end: number): boolean {
  return end === text.length || text[end] === "\n";
}

// The parts of the host's system prompt that the kernel works on. A host's edge parses or supplies them.

/**
 * Holds the blocks as the host renders them, by kind. Null means that the host's text has no such block now.
 * A missing kind means that the host's text never states it, and our own source renders it.
 */
export type HostBlocks = Readonly<Partial<Record<BlockKind, string | null>>>;

export interface HostText {
  /** Live text before the Baseline; null if there is none. */
  readonly preamble: string | null;
  /** The blocks, which an epoch freezes at its start. */
  readonly blocks: HostBlocks;
  /** Text that must pass through after the Baseline. */
  readonly live: string | null;
  /**
   * Holds, by kind, the host's text for what our own sources render; the Baseline takes it if a source can't
   * be observed as an epoch begins.
   */
  readonly standIns: Readonly<Partial<Record<BlockKind, string>>>;
}

/**
 * Describes a host that freezes its system prompt itself, so that the Baseline has only the parts of our own
 * sources.
 */
export const hostOwnedText: HostText = {
  preamble: null,
  blocks: { environment: null, references: null, instructions: null, mcp: null, skills: null },
  live: null,
  standIns: {},
};

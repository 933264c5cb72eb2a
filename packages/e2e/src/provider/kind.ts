// Whether a call is the session's own, a title, a compaction or a job.
import type { Block } from "../block.ts";
import type { CallKind } from "./record.ts";

const TITLE_AGENT = "You are a title generator";
/** What the prompts of jobs begin with. */
const JOBS: readonly string[] = [
  "You do a small job for a test.",
  "You write the history of a coding session.",
  "You look after the memories of a software project.",
  "You check whether something has come true in a software project.",
];
const ENVIRONMENT = "You are powered by the model named";

export function joinSystem(blocks: readonly Block[]): string {
  return blocks
    .filter((block) => block.layer === "system")
    .map(({ bytes }) => parseBlockText(bytes))
    .join("\n");
}

/** What stands before the environment block: the agent's own prompt, or all of a call without it. */
export function splitPreamble(system: string): string {
  const [preamble = ""] = system.split(ENVIRONMENT, 1);
  return preamble;
}

/** The host's title and compaction agents have neither the environment block nor tools. */
export function classifyCall(blocks: readonly Block[]): CallKind {
  const system = joinSystem(blocks);
  if (system.startsWith(TITLE_AGENT)) return "title";
  if (JOBS.some((prompt) => system.startsWith(prompt))) return "job";
  if (system.includes(ENVIRONMENT)) return "main";
  return blocks.some((block) => block.layer === "tools") ? "main" : "compaction";
}

function parseBlockText(bytes: string): string {
  const content: { text?: string; content?: string } = JSON.parse(bytes);
  return content.text ?? content.content ?? "";
}

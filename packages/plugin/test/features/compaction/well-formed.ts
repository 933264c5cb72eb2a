import { GENERIC_HEADINGS, WORKFLOW_HEADINGS } from "../../../src/features/compaction/brief.ts";

const TITLE = "## Stage-Aware Continuation";
const FROM_FILES =
  "Preserve the canonical workflow names exactly. Treat this as the authoritative resume brief for compaction continuity.";
const FROM_THE_SESSION =
  "Gathered from the session's own history. Where the conversation says otherwise, the conversation is right.";
const AUGMENTATION = [
  "---",
  "## Workflow-Aware Augmentation",
  "The following sections apply because this session is part of a canonical workflow. Preserve these fields for workflow continuity.",
];

/**
 * What is wrong with a brief's form: only our own headings, in order, once, with lines below them;
 * all nine where it is from files, only those of which something is known where it is not.
 */
export function formFaults(text: string): readonly string[] {
  const lines = text.split("\n");
  const faults: string[] = [];
  const expect = (wanted: readonly string[]) => {
    for (const line of wanted) {
      const found = lines.shift();
      if (found !== line) faults.push(`expected ${line}, found ${found}`);
    }
  };
  const takeItems = (heading: string) => {
    let count = 0;
    for (; lines[0]?.startsWith("- "); count += 1) faults.push(...lineFaults(lines.shift() ?? ""));
    if (count === 0) faults.push(`${heading} has no line`);
  };
  const isFromFiles = lines[1] === FROM_FILES;
  const knowsNothing = lines.filter((line) => line === "- none recorded").length === 9;
  expect([TITLE, isFromFiles ? FROM_FILES : FROM_THE_SESSION]);
  for (const heading of GENERIC_HEADINGS) {
    if (!isFromFiles && lines[0] !== `## ${heading}`) continue;
    expect([`## ${heading}`]);
    if (!isFromFiles && !knowsNothing && lines[0] === "- none recorded") {
      faults.push(`${heading} is sent though nothing is known of it`);
    }
    takeItems(heading);
  }
  if (lines.length > 0) expect(AUGMENTATION);
  for (const heading of WORKFLOW_HEADINGS) {
    if (lines[0] !== `## ${heading}`) continue;
    lines.shift();
    takeItems(heading);
  }
  return [...faults, ...lines.map((line) => `left over: ${line}`)];
}

/** A line is a bullet with a text, and nothing that could be more. */
function lineFaults(line: string): readonly string[] {
  const text = line.slice(2);
  const faults: string[] = [];
  const fault = (name: string, pattern: RegExp) => {
    if (pattern.test(text)) faults.push(`${name}: ${JSON.stringify(line)}`);
  };
  if (text.trim() === "") faults.push("an empty line");
  fault("a control character", /\p{Cc}/u);
  fault("an invisible or reordering character", /\p{Cf}/u);
  fault("half a character", /\p{Surrogate}/u);
  fault("a line separator", /[\u2028\u2029]/u);
  fault("a block of Markdown", /^\s*(?:#{1,6}\s|>|```|~~~|[-=*_]{3,}|[-+*]\s|\|)/);
  fault("a closing tag", /<\s*\//);
  fault("a tag", /<(?:system|user|assistant|human|tool)\b/i);
  if (text.length > 460) faults.push(`too long: ${text.length}`);
  return faults;
}

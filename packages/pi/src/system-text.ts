// Translates Pi's system messages into the kernel's form of a host's text, and puts our Baseline into them.
import { toFields } from "@session-runtime/opencode/context/fields";
import type { HostText } from "@session-runtime/opencode/sources/host-blocks";
import type { PiSystem } from "./pi.ts";

/**
 * Lists sections that our Baseline replaces. Pi reads instruction files at its start alone, and patches the
 * others whenever it renders them again.
 */
const OURS: ReadonlySet<string> = new Set(["project_context", "skills", "cwd"]);

/** Names Pi's own section of the Baseline. */
const SECTION = "session_context";

type Sections = ReadonlyMap<string, string>;

/**
 * Composes the host's text. Skills come from the newest patch; our other sections have sources of their own.
 */
export function composeHostText(systems: readonly PiSystem[]): HostText {
  const sections = currentSections(systems);
  const [head] = systems;
  const live = [...sections].flatMap(([name, text]) => (OURS.has(name) ? [] : [text]));
  return {
    preamble: [head ? contentText(head) : "", ...live].filter((text) => text !== "").join("\n\n"),
    blocks: { skills: sections.get("skills") ?? null },
    live: null,
    standIns: { instructions: sections.get("project_context") ?? "" },
  };
}

function currentSections(systems: readonly PiSystem[]): Sections {
  const current = new Map<string, string>();
  for (const { sections = {} } of systems) {
    for (const [name, text] of Object.entries(sections)) {
      if (text === null) current.delete(name);
      else current.set(name, text);
    }
  }
  return current;
}

/** Adds the Baseline to the leading message as its last section. */
export function headWith(head: PiSystem, baseline: string): PiSystem {
  return { ...head, sections: { ...withoutOurs(head.sections ?? {}), [SECTION]: baseline } };
}

/**
 * Says whether another extension has replaced the prompt for this run (`systemPrompt` of
 * `before_agent_start`): Pi puts that text over the request after all handlers, so that nothing of ours would
 * be sent.
 */
export function isReplaced(systems: readonly PiSystem[], sent: string): boolean {
  const [head] = systems;
  const texts = [head ? contentText(head) : "", ...currentSections(systems).values()];
  let rest = sent;
  for (const text of texts.map((one) => one.trim()).filter((one) => one !== "")) {
    const at = rest.indexOf(text);
    if (at === -1) return true;
    rest = rest.slice(0, at) + rest.slice(at + text.length);
  }
  return rest.trim() !== "";
}

/** Says whether the message states anything that our updates announce. */
export function patchedByUs({ sections = {} }: PiSystem): boolean {
  return Object.keys(sections).some((name) => OURS.has(name));
}

/** Removes what our updates announce from a later message; null where nothing else was in it. */
export function stripOwnSections(message: PiSystem): PiSystem | null {
  const { sections, toolsAdded = [], toolsRemoved = [] } = message;
  if (!sections) return message;
  const others = withoutOurs(sections);
  if (Object.keys(others).length === Object.keys(sections).length) return message;
  const isEmpty = Object.keys(others).length + toolsAdded.length + toolsRemoved.length === 0;
  return isEmpty && contentText(message) === "" ? null : { ...message, sections: others };
}

function withoutOurs(sections: Readonly<Record<string, string | null>>) {
  return Object.fromEntries(Object.entries(sections).filter(([name]) => !OURS.has(name)));
}

function contentText({ content }: PiSystem): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
}

/** Returns the names of the tools that a request with these messages offers; null where none states them. */
export function toolsIn(systems: readonly PiSystem[]): ReadonlySet<string> | null {
  const tools = new Set<string>();
  let isSaid = false;
  for (const { toolsAdded = [], toolsRemoved = [] } of systems) {
    isSaid ||= toolsAdded.length + toolsRemoved.length > 0;
    for (const { name } of toolsAdded) tools.add(name);
    for (const removed of toolsRemoved) tools.delete(toolName(removed));
  }
  return isSaid ? tools : null;
}

/** Returns the message as if Pi had never offered these tools. */
export function withoutTools(message: PiSystem, names: ReadonlySet<string>): PiSystem {
  const { toolsAdded = [], toolsRemoved = [], ...rest } = message;
  const added = toolsAdded.filter(({ name }) => !names.has(name));
  const removed = toolsRemoved.filter((tool) => !names.has(toolName(tool)));
  if (added.length + removed.length === toolsAdded.length + toolsRemoved.length) return message;
  return {
    ...rest,
    ...(added.length > 0 ? { toolsAdded: added } : {}),
    ...(removed.length > 0 ? { toolsRemoved: removed } : {}),
  };
}

function toolName(tool: unknown): string {
  return typeof tool === "string" ? tool : String(toFields(tool).name);
}

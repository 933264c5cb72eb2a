// Pi's system messages as the kernel takes a host's text, and with our Baseline in them.
import { toFields } from "../../plugin/src/context/fields.ts";
import type { HostText } from "../../plugin/src/sources/host-text.ts";
import type { PiSystem } from "./pi.ts";

/**
 * Sections that our Baseline states in their place. Pi reads instruction files at its start alone, and
 * patches the others wherever it renders them again.
 */
const OURS: ReadonlySet<string> = new Set(["project_context", "skills", "cwd"]);

/** What Pi's own section of the Baseline is called. */
const SECTION = "session_context";

type Sections = ReadonlyMap<string, string>;

/** The skills of the newest patch are those that hold now; all else of ours has sources of its own. */
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

/** The leading message with the Baseline as its last section. */
export function headWith(head: PiSystem, baseline: string): PiSystem {
  return { ...head, sections: { ...withoutOurs(head.sections ?? {}), [SECTION]: baseline } };
}

/**
 * Whether another extension has replaced the prompt for this run (`systemPrompt` of `before_agent_start`): Pi
 * lays that text over the request after all handlers, so that nothing of ours in it would be sent.
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

/** Whether it states anything that our updates announce. */
export function patchedByUs({ sections = {} }: PiSystem): boolean {
  return Object.keys(sections).some((name) => OURS.has(name));
}

/** A later message without what our updates announce; null: nothing else was in it. */
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

/** The names of the tools that a request with these messages offers; null: none of them says. */
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

/** The message as it would be if Pi had never offered these tools. */
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

// The host's own tools by name (OpenCode 1.18.33): what each does, and which arguments say so.

export type ToolKind =
  | "read"
  /** The arguments hold all that the file says then. */
  | "write"
  /** The arguments hold a part of it. */
  | "edit"
  | "run"
  | "todos written"
  | "todos read"
  | "skill"
  /** A search, a listing, a page: nothing changes by it. */
  | "look"
  /** The user answers. */
  | "question"
  /** The user approves the plan that was written before. */
  | "plan handed over"
  | "other";

interface HostTool {
  readonly kind: ToolKind;
  /** The arguments that say what a call was about, in this order; not given: the first text. */
  readonly says?: readonly string[];
}

const TOOLS: ReadonlyMap<string, HostTool> = new Map(
  Object.entries<HostTool>({
    read: { kind: "read", says: ["filePath"] },
    write: { kind: "write", says: ["filePath"] },
    edit: { kind: "edit", says: ["filePath"] },
    patch: { kind: "edit", says: ["filePath"] },
    multiedit: { kind: "edit" },
    apply_patch: { kind: "edit" },
    bash: { kind: "run", says: ["command"] },
    grep: { kind: "look", says: ["pattern", "include", "path"] },
    glob: { kind: "look", says: ["pattern", "path"] },
    list: { kind: "look", says: ["path"] },
    webfetch: { kind: "look", says: ["url"] },
    websearch: { kind: "look", says: ["query"] },
    codesearch: { kind: "look" },
    question: { kind: "question" },
    plan_exit: { kind: "plan handed over" },
    skill: { kind: "skill", says: ["name"] },
    task: { kind: "other", says: ["description"] },
    todowrite: { kind: "todos written" },
    todoread: { kind: "todos read" },
  }),
);

export function toolKind(name: string): ToolKind {
  return TOOLS.get(name)?.kind ?? "other";
}

/** Null: nothing is known of the tool's arguments. */
export function identifyingArguments(name: string): readonly string[] | null {
  return TOOLS.get(name)?.says ?? null;
}

/** Whether calling it again changes nothing: it only looks, or writes the same list once more. */
export function isHarmless(name: string): boolean {
  switch (toolKind(name)) {
    case "read":
    case "look":
    case "question":
    case "skill":
    case "todos written":
    case "todos read":
      return true;
    case "write":
    case "edit":
    case "run":
    case "plan handed over":
    case "other":
      return false;
  }
}

/** Whether a call in its own words is the tool's name and the path of one file. */
export function namesOneFile(name: string): boolean {
  return identifyingArguments(name)?.join() === "filePath";
}

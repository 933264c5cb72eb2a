// Lists the host's own tools by name (OpenCode 1.18.33), with their kinds and identifying arguments.

export type ToolKind =
  | "read"
  /** Its arguments hold the file's whole new content. */
  | "write"
  /** Its arguments hold a part of the file's new content. */
  | "edit"
  | "run"
  | "todos written"
  | "todos read"
  | "skill"
  /** It searches, lists or fetches and changes nothing. */
  | "look"
  /** The user answers it. */
  | "question"
  /** The user approves the plan that was written before. */
  | "plan handed over"
  | "other";

interface HostTool {
  readonly kind: ToolKind;
  /** The arguments that identify a call, in this order; if not given, the first text does. */
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

/** Lists the arguments that identify a call; null if the tool is unknown. */
export function identifyingArguments(name: string): readonly string[] | null {
  return TOOLS.get(name)?.says ?? null;
}

/** Returns true if repeating the call changes nothing: it only reads, or writes the same list once more. */
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

/** Returns true if a call is rendered as the tool's name and the path of one file. */
export function namesOneFile(name: string): boolean {
  return identifyingArguments(name)?.join() === "filePath";
}

// The fields that people keep in notes, and the names they use for them.

/** The fields that people keep in SESSION.md and in workflow artifacts. */
export type NoteField =
  | "objective"
  | "focus"
  | "step"
  | "status"
  | "openWork"
  | "completed"
  | "decisions"
  | "pendingTests"
  | "blockers"
  | "questions"
  | "dependencies"
  | "nextActions";

/** The names that a field goes by, as headings and as labels. */
const NAMES: Readonly<Record<NoteField, readonly string[]>> = {
  objective: ["objective", "primary objective", "goal", "goals", "main goal", "mission"],
  focus: ["focus", "focus area", "current focus", "session focus", "working on", "current work"],
  step: ["current step", "step", "in progress", "current task", "now", "doing"],
  status: ["status", "current status", "state"],
  openWork: [
    "open work",
    "open",
    "open items",
    "open tasks",
    "remaining",
    "remaining work",
    "remaining tasks",
    "outstanding",
    "outstanding work",
    "todo",
    "todos",
    "to do",
    "to-do",
    "tasks",
    "backlog",
    "pending",
    "pending work",
    "what's left",
  ],
  completed: [
    "completed",
    "completed work",
    "completed items",
    "complete",
    "done",
    "finished",
    "what was done",
    "accomplished",
    "progress",
  ],
  decisions: [
    "decisions",
    "decision",
    "decisions made",
    "key decisions",
    "design decisions",
    "approved decisions",
    "decision log",
  ],
  pendingTests: [
    "pending tests",
    "pending test",
    "tests pending",
    "tests to run",
    "tests to write",
    "missing tests",
    "open tests",
  ],
  blockers: [
    "blockers",
    "blocker",
    "blocked",
    "blocked by",
    "blocked on",
    "blockers / risks",
    "blockers/risks",
    "blockers and risks",
    "blockers & risks",
    "risks",
    "risk",
    "known issues",
    "impediments",
    "warnings",
    "carry-forward warnings",
  ],
  questions: [
    "open questions",
    "open question",
    "questions",
    "question",
    "pending decisions",
    "pending decision",
    "open decisions",
    "pending decisions / open questions",
    "unresolved",
    "unresolved questions",
  ],
  dependencies: [
    "dependencies",
    "dependency",
    "depends on",
    "preconditions",
    "prerequisites",
    "dependencies / preconditions",
    "requires",
    "waiting for",
    "waiting on",
  ],
  nextActions: [
    "next action",
    "next actions",
    "next step",
    "next steps",
    "next",
    "up next",
    "next up",
    "what's next",
  ],
};

const BY_NAME: ReadonlyMap<string, NoteField> = new Map(
  Object.entries(NAMES).flatMap(([field, names]) =>
    names.map((name): [string, NoteField] => [name, field as NoteField]),
  ),
);

/** The field that a heading or a label stands for; null for any other. */
export function fieldOf(name: string): NoteField | null {
  const words = name
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/\([^()]*\)/g, "")
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
    .replace(/\s+/g, " ");
  return BY_NAME.get(words) ?? null;
}

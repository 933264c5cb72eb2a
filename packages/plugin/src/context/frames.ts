// Lists the frames and labels of texts that we write for a model. Quoted text is made inert by this list.

/** Tags that we put around texts. Only `frameLines` writes them. */
export const FRAMES = [
  "system-update",
  "session-history",
  "earlier-words",
  "recalled",
  "project-memories",
  "open-notes",
  "due-notes",
  "key-files",
  "user-profile",
] as const;

export type Frame = (typeof FRAMES)[number];

/** Tags that the host uses. `system` stands for all that begin with it. */
export const HOST_FRAMES = ["system", "system-reminder"] as const;

/** Labels that begin a line of a folded history, before a colon. */
export const LABELS = [
  "Asked",
  "Answered",
  "Refused",
  "Planned",
  "Said",
  "Settled",
  "Files",
  "Open",
] as const;

export type Label = (typeof LABELS)[number];

export function frameLines(frame: Frame, lines: readonly string[]): string {
  return [opening(frame), ...lines, closingTag(frame)].join("\n");
}

export function opening(frame: Frame): string {
  return `<${frame}>`;
}

export function closingTag(frame: Frame): string {
  return `</${frame}>`;
}

// The frames and headings of what we write for a model: the one list by which quoted text is made inert.

/** Tags that we put around texts. `framed` is the only way to write one. */
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

/** Tags by which the host speaks: `system` stands for all that begin with it, too. */
export const HOST_FRAMES = ["system", "system-reminder"] as const;

/** What a line of a folded history says of its own, before a colon. */
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

export function framed(frame: Frame, lines: readonly string[]): string {
  return [opening(frame), ...lines, closing(frame)].join("\n");
}

export function opening(frame: Frame): string {
  return `<${frame}>`;
}

export function closing(frame: Frame): string {
  return `</${frame}>`;
}

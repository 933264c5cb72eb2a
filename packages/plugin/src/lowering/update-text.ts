// Recognises a wrapped update and unwraps it.

const OPENING = "<system-update>\n";
const CLOSING = "\n</system-update>";

/** Whether this is an update as it is wrapped when it goes as the user's text. */
export function isWrapped(text: string): boolean {
  return (
    text.length > OPENING.length + CLOSING.length &&
    text.startsWith(OPENING) &&
    text.endsWith(CLOSING)
  );
}

/** The update as a message of its own role says it: the stored text without its wrapping. */
export function unwrapped(text: string): string {
  return isWrapped(text) ? text.slice(OPENING.length, -CLOSING.length) : text;
}

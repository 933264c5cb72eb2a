// Renders a command of the command line in a text for the user.

/** Renders a command with its arguments in a form that the reader can type. */
export type RenderCommandLine = (words: string) => string;

/** Renders a command as `setup` installs it, for texts that a host shows. */
export const asInstalled: RenderCommandLine = (words) => `session-runtime ${words}`;

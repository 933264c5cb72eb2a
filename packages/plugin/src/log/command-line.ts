// How a text for the user names a command of the command line.

/** A command with its arguments, as whoever reads it can type it. */
export type RenderCommandLine = (words: string) => string;

/** As `setup` installs it: for texts that a host shows. */
export const asInstalled: RenderCommandLine = (words) => `session-runtime ${words}`;

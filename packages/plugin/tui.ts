// What OpenCode 2 looks for at the root of a local folder: the entry of the terminal UI's part.
export { default } from "./src/tui.ts";

// What OpenCode 2 looks for at the root of a local folder: the plugin's entry.
export { default } from "./src/index.ts";

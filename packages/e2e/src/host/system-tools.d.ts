// Types of scripts/system-tools.mjs.

declare module "*/scripts/system-tools.mjs" {
  export function systemTool(name: "tmux" | "chromium" | "postgresql"): string | null;
  export function missingTool(name: "tmux" | "chromium" | "postgresql"): string | null;
  export function ensureSystemTools(): readonly ("tmux" | "chromium" | "postgresql")[];
}

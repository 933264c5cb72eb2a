// Translates OpenCode 2's own tools into the names and arguments by which the kernel knows what a call does.
import { type ComparedFields, toFields } from "../context/fields.ts";

const NAMES: ReadonlyMap<string, string> = new Map([
  ["shell", "bash"],
  ["subagent", "task"],
  ["patch", "apply_patch"],
]);

const WITH_A_FILE: ReadonlySet<string> = new Set(["read", "write", "edit"]);

/** Translates a call; other tools, and those of a session that began on 1.18, stay as they are. */
export function kernelTool(
  name: string,
  given: unknown,
): { readonly tool: string; readonly input: unknown } {
  const tool = NAMES.get(name) ?? name;
  const { path, ...others }: ComparedFields = toFields(given);
  if (!WITH_A_FILE.has(name) || path === undefined) return { tool, input: given };
  return { tool, input: { filePath: path, ...others } };
}

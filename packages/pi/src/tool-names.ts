// Translates Pi's own tools into the names and arguments by which the kernel knows what a call does.

interface KernelTool {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["find", "glob"],
  ["ls", "list"],
]);

const WITH_A_FILE: ReadonlySet<string> = new Set(["read", "write", "edit"]);

/** Translates a call; other tools stay as they are. */
export function kernelTool(name: string, given: Readonly<Record<string, unknown>>): KernelTool {
  const tool = NAMES.get(name) ?? name;
  if (!WITH_A_FILE.has(name) || !("path" in given)) return { tool, input: given };
  const { path, ...others } = given;
  return { tool, input: { filePath: path, ...others } };
}

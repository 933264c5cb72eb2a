import { isTool } from "../../src/ledger/message.ts";
import type { SessionRuntime } from "../../src/session/runtime.ts";
import type { Session } from "./host.ts";
import type { Outcome } from "./steps.ts";
import type { World } from "./world.ts";

const FLOOD_CHARS = 1_000;

/** Writes down what the provider answered; true where it called tools, so that a step follows. */
export function answer(
  session: Session,
  outcome: Outcome,
  around: { readonly world: World; readonly runtime: SessionRuntime },
): boolean {
  const { rows, author } = session;
  const { nowMs } = around.world;
  switch (outcome) {
    case "fail":
      rows.assistant(author, nowMs, { error: { name: "APIError" } });
      return false;
    case "abort": {
      const row = rows.assistant(author, nowMs, { error: { name: "MessageAbortedError" } });
      row.parts.push(rows.text(row, rows.say("partial answer")));
      return false;
    }
    case "answer": {
      const row = rows.assistant(author, nowMs, { finish: "stop" });
      row.parts.push(rows.text(row, rows.say("answer")));
      return false;
    }
    case "bash": {
      const row = rows.assistant(author, nowMs, { finish: "tool-calls" });
      row.parts.push(rows.tool(row, "bash", rows.say("output"), {}));
      return true;
    }
    case "flood": {
      const row = rows.assistant(author, nowMs, { finish: "tool-calls" });
      row.parts.push(rows.failedTool(row, "mcp", rows.say("error").padEnd(FLOOD_CHARS, ".")));
      return true;
    }
    case "sub":
    case "deep": {
      const row = rows.assistant(author, nowMs, { finish: "tool-calls" });
      const { output, metadata } = read(session, outcome, around);
      row.parts.push(rows.tool(row, "read", output, metadata));
      return true;
    }
  }
}

/** The read tool with its nested instructions, and tool.execute.after on its result. */
function read(
  session: Session,
  depth: "sub" | "deep",
  { world, runtime }: { readonly world: World; readonly runtime: SessionRuntime },
) {
  const nested = world.nestedFor(session.location, depth, loadedPaths(session));
  const metadata = { loaded: nested.map(([path]) => path) };
  const body = `<content>\n1: ${session.rows.say("line")}\n\n(End of file)\n</content>`;
  const shown = nested.map(([path, content]) => `Instructions from: ${path}\n${content}`);
  const output =
    nested.length === 0
      ? body
      : `${body}\n\n<system-reminder>\n${shown.join("\n\n")}\n</system-reminder>`;
  return { output: runtime.stripKnownInstructions(session.id, output, metadata), metadata };
}

/** What the history that the host sends has loaded already; it passes pruned results over. */
function loadedPaths(session: Session): ReadonlySet<string> {
  const loaded = new Set<string>();
  for (const { parts } of session.rows.visible()) {
    for (const part of parts) {
      if (!isTool(part) || part.state.status !== "completed") continue;
      if (part.state.time.compacted !== undefined) continue;
      const paths = part.state.metadata?.loaded;
      if (Array.isArray(paths)) for (const path of paths) loaded.add(String(path));
    }
  }
  return loaded;
}

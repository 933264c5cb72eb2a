// Decides whether a call is offered a tool of ours, by the host's own rule on its permissions.
import * as z from "zod";
import type { HostMessage } from "../ledger/message.ts";
import { NamePattern } from "../sources/glob-name.ts";

const ruleSchema = z.object({ permission: z.string(), pattern: z.string(), action: z.string() });
const rulesSchema = z.array(ruleSchema);

/**
 * Says whether the tool is offered. The last rule that matches its name counts, and removes the tool only
 * where it denies it altogether (OpenCode 1.18.33). Null where these are not the rules of a known host.
 */
export function isToolOffered(tool: string, rules: unknown): boolean | null {
  const read = rulesSchema.safeParse(rules);
  if (!read.success) return null;
  const last = read.data.findLast(({ permission }) => matches(permission, tool));
  return !(last && last.pattern === "*" && last.action === "deny");
}

/** Matches with `*` and `?` in linear time: a project may give the rules, and a RegExp would backtrack. */
function matches(pattern: string, tool: string): boolean {
  const shape = pattern.replace(/\*+/g, "*");
  // Every character but a star needs one of the name.
  if (shape.length > 2 * tool.length + 1) return false;
  return new NamePattern(shape.replace(/[^*?]/gu, "\\$&")).test(tool);
}

/** Says who makes a history's next call. */
interface Caller {
  readonly sessionId: string;
  readonly agent: string;
}

/** Returns null where the history has no prompt, or its prompt turns the tool off itself. */
export function findCaller(tool: string, messages: readonly HostMessage[]): Caller | null {
  const prompt = messages.findLast(({ info }) => info.role === "user");
  if (prompt?.info.agent === undefined) return null;
  const tools: unknown = Reflect.get(prompt.info, "tools");
  const own: unknown =
    typeof tools === "object" && tools !== null ? Reflect.get(tools, tool) : null;
  if (own === false) return null;
  return { sessionId: prompt.info.sessionID, agent: prompt.info.agent };
}

// Runs one of our slash commands by the host's own route.
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";

/** Runs a command. Returns null if it has done its work, otherwise a description of what went wrong. */
export async function runCommand(
  api: TuiPluginApi,
  sessionID: string,
  command: string,
  args: string,
): Promise<string | null> {
  try {
    const { error } = await api.client.session.command({ sessionID, command, arguments: args });
    return describeTrouble(command, error);
  } catch (error) {
    return describeTrouble(command, error);
  }
}

/**
 * Describes what went wrong; null if nothing did. A command that has done its work ends with an error that
 * says so, because the host knows no other end.
 */
export function describeTrouble(command: string, error: unknown): string | null {
  const message = findErrorMessage(error);
  if (message?.startsWith("This is not an error:")) return null;
  return message ?? `OpenCode ran /${command} as a prompt: see the session.`;
}

function findErrorMessage(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  if (typeof error === "object" && "data" in error) return findErrorMessage(error.data);
  if (typeof error === "object" && "message" in error) return String(error.message);
  return String(error);
}

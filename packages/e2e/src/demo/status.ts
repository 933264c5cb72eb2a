// Asks the host for a session's /ctx-status.
import { type Client, HostError } from "../client/client.ts";

const COMMAND = "ctx-status";

/**
 * The session's `/ctx-status`. The plugin posts the report as a part that the model never sees and
 * then ends the command, which HTTP callers get as an error: the report stands in the transcript.
 */
export async function askStatus(client: Client, session: string): Promise<string | null> {
  const before = (await client.messages(session)).length;
  try {
    await client.command(session, COMMAND, "");
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
  const posted = (await client.messages(session)).slice(before);
  const texts = posted.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])),
  );
  return texts.at(-1) ?? null;
}

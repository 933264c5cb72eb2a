// Offers the newest sessions of other folders where none has worked in the current one.
import { isCancel, select } from "@clack/prompts";
import { formatAgo, makeVisible } from "@session-runtime/opencode/status/wording";
import type { SessionPlace } from "@session-runtime/opencode/storage/session-list";
import { CliError, EXIT } from "../cli-error.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import { typed } from "../invocation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { NoSessionHere } from "./choose-session.ts";
import { readTitles } from "./titles.ts";

const MAX_OFFERED = 5;

/**
 * Returns the id of the session that the user chooses.
 * @throws CliError that lists commands for them, where no user can be asked
 */
export async function sessionElsewhere(
  error: NoSessionHere,
  command: string,
  way: "ask" | "name",
  { isInteractive, env }: Terminal,
): Promise<string> {
  const newest = error.elsewhere.slice(0, MAX_OFFERED);
  const titles = await readTitles(
    env,
    newest.map(({ sessionId }) => sessionId),
  );
  const offers = newest.map((session) => ({
    id: session.sessionId,
    words: describeSession(session, titles.get(session.sessionId), env),
  }));
  if (way === "name" || !isInteractive) {
    const lines = offers.map(({ id, words }) => `${typed(`${command} ${id}`)}   ${words}`);
    const advice = ["The newest sessions of other folders:", ...lines].join("\n  ");
    throw new CliError(error.code, error.message, advice, error.exitCode);
  }
  const chosen = await select({
    message: `${error.message} Choose a session of another folder:`,
    options: offers.map(({ id, words }) => ({ value: String(id), label: words, hint: id })),
  });
  if (!isCancel(chosen)) return chosen;
  throw new CliError("cancelled", "No session was chosen.", "", EXIT.cancelled);
}

/** Describes a session: `Fix the login, in ~/shop, 5 min ago`. */
function describeSession(
  { directory, activeAtMs }: SessionPlace,
  title: string | undefined,
  env: Environment,
): string {
  const { home } = resolvePlaces(env);
  const folder = directory?.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
  const where = folder === null ? [] : [`in ${makeVisible(folder)}`];
  return [makeVisible(title ?? "no title"), ...where, formatAgo(activeAtMs, Date.now())].join(", ");
}

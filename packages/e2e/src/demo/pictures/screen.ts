// The picture of the panel: the real terminal UI after a short session, as tmux captures it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTerminalUi } from "../../host/terminal-ui.ts";
import { openBench } from "../../open.ts";
import { say } from "../../provider/reply.ts";
import { screenPicture } from "../../terminal/screen-picture.ts";
import { PLUGIN } from "../play.ts";

const PRICE = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
const PROVIDER = { anthropic: { models: { "claude-mock": { cost: PRICE } } } };

const TALK = [
  ["How are webhooks retried?", "With a growing pause, for 72 hours at most."],
  ["Write a test for that.", "Done: it checks the pauses and the end."],
  ["Run it.", "It passes."],
] as const;

/** The screen, with the escape sequences of its colours. */
export async function playPanel(): Promise<string> {
  const rules = "Amounts are integers, in cents. Tables have singular names.\n".repeat(40);
  const files = {
    "AGENTS.md": `Answer in short sentences.\n${rules}`,
    "opencode.json": JSON.stringify({ provider: PROVIDER }),
  };
  const { host, provider, close } = await openBench({ plugin: [PLUGIN], files });
  provider.script.respond("title", () => say("Retries of webhooks"));
  const { client } = host;
  const { id } = await client.createSession();
  const terminal = openTerminalUi(host, {
    plugin: [join(PLUGIN, "../tui.ts")],
    attachTo: host.url,
    args: ["--session", id],
    env: {},
    columns: 122,
    rows: 26,
  });
  try {
    for (const [index, [prompt, answer]] of TALK.entries()) {
      if (index > 0) writeFileSync(join(host.project, "AGENTS.md"), `Rule ${index}.\n${rules}`);
      provider.script.queueFor(id, say(answer));
      await client.prompt(id, prompt);
    }
    await terminal.waitFor(/Saved about \$/);
    await terminal.settled();
    return terminal.colouredScreen();
  } finally {
    terminal.close();
    await close();
  }
}

export function panelPicture(screen: string): string {
  return screenPicture(screen, "The panel of Session Runtime beside a session in OpenCode");
}

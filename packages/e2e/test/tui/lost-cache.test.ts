import { join } from "node:path";
import { drivenTest, PLUGIN, TuiStage } from "./stage.ts";

const stage = new TuiStage();
const NEIGHBOUR = join(import.meta.dir, "../../fixtures/neighbour-plugin.js");

drivenTest(
  "a cache that another plugin breaks is told by a toast, and stays in view with its cause",
  async () => {
    // In memory only: at the next call the newest message is another, and this one has lost it.
    const part = "What the neighbour adds. ".repeat(1_000);
    const bench = await stage.bench({ plugin: [PLUGIN, [NEIGHBOUR, { part }]] });
    const { host } = bench;
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    const terminal = stage.ui(bench, { attachTo: host.url, args: ["--session", id] });
    await terminal.waitFor(/Cache 0% ▁/);
    await host.client.prompt(id, "Go on");
    await terminal.waitFor("The prompt cache was lost: sent history changed: an");
    await terminal.waitFor(/! Cache lost (?:\d+ \w+ ago|just now): sent history/);
    terminal.resize(80, 32);
    await terminal.waitFor("! cache lost");
  },
);

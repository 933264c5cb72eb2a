import { describe, expect } from "bun:test";
import { join } from "node:path";
import { openRelay } from "../../src/host/relay.ts";
import { reports } from "../ctx-status-stage.ts";
import { drivenTest, longDrivenTest, send, TuiStage } from "./stage.ts";

const stage = new TuiStage();

describe("the terminal UI and its server", () => {
  drivenTest(
    "a server that is killed and comes back is found again, with what it knows then",
    async () => {
      const bench = await stage.bench();
      const { host } = bench;
      const relay = await openRelay(() => host.url);
      stage.clean(() => relay.close());
      const { id } = await host.client.createSession();
      await host.client.prompt(id, "Hello");
      const terminal = stage.ui(bench, { attachTo: relay.url, args: ["--session", id] });
      await terminal.waitFor(/Cache 0% ▁/);
      await host.kill9();
      await terminal.waitFor("The server does not answer");
      expect(terminal.screen()).toContain("Cache 0% ▁");
      await host.start({});
      await terminal.waitUntilGone("The server does not answer");
      await host.client.prompt(id, "Hello again");
      await terminal.waitFor(/Cache 49% ▁█/);
      await send(terminal, "/ctx-status");
      await terminal.waitFor("Session Runtime: status");
    },
    // The host's terminal UI goes home where a server that has just come does not give it the session yet.
    2,
  );

  longDrivenTest(
    "a server without the plugin is said to be one, and nothing else is shown",
    async () => {
      const bench = await stage.bench({ plugin: [] });
      const { id } = await bench.host.client.createSession();
      await bench.host.client.prompt(id, "Hello");
      const terminal = stage.ui(bench, { attachTo: bench.host.url, args: ["--session", id] });
      await terminal.waitFor("Not available on this server");
      expect(terminal.screen()).not.toContain("Cache");
      terminal.resize(80, 32);
      await terminal.waitFor(" Session Runtime: Not available on this server");
    },
  );

  longDrivenTest(
    "a server of another machine is said to be one; its commands write messages as ever",
    async () => {
      const bench = await stage.bench();
      const { host } = bench;
      const { id } = await host.client.createSession();
      await host.client.prompt(id, "Hello");
      const terminal = stage.ui(bench, {
        attachTo: host.url,
        args: ["--session", id],
        env: { SESSION_RUNTIME_DB: join(host.home.root, "another-machine/runtime.db") },
      });
      await terminal.waitFor("The server runs on another machine");
      await send(terminal, "/ctx-status");
      await terminal.waitFor("core/instructions");
      expect(reports(await host.client.messages(id))).toHaveLength(1);
    },
  );

  longDrivenTest("of two servers in one project each terminal UI reads its own", async () => {
    const bench = await stage.bench();
    const { host, provider } = bench;
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    const attached = stage.ui(bench, { attachTo: host.url, args: ["--session", id] });
    await attached.waitFor(/Cache 0% ▁/);
    const own = stage.ui(bench, { columns: 121 });
    await own.waitFor("Ask anything");
    await send(own, "Hello there");
    await own.waitFor(/Cache \d+%/);
    await host.kill9();
    await attached.waitFor("The server does not answer");
    expect(own.screen()).not.toContain("gone");
    expect(provider.calls.length).toBeGreaterThan(1);
  });
});

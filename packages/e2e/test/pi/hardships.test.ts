import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { writeFiles } from "../../src/host/home.ts";
import { STOCK, startHost } from "../../src/host/host.ts";
import { missingPi, openPi, PI_MODELS, type PiHome } from "../../src/pi/pi.ts";
import { buildExtension } from "../../src/pi/scenario.ts";
import { type CallRecord, rejections } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { LONG } from "../long.ts";

setDefaultTimeout(600_000);

const KILLS_TIMEOUT_MS = LONG ? 1_500_000 : 600_000;

const THROWER = join(import.meta.dir, "../../fixtures/pi/thrower.js");

const OF_NEWEST_SESSION = `SELECT seq FROM rewrite WHERE session_id =
  (SELECT session_id FROM epoch ORDER BY started_at_ms DESC LIMIT 1)`;

const times = (call: CallRecord | undefined, text: string) =>
  JSON.stringify(call?.body).split(text).length - 1;

describe.skipIf(missingPi !== null)(
  missingPi ?? "the extension in the real Pi, under hardship",
  () => {
    let pi: PiHome;
    let ours = "";
    beforeAll(async () => {
      ours = buildExtension();
      pi = await openPi({
        extensions: [ours],
        files: { "AGENTS.md": "Use tabs.\n", "notes.txt": "A note.\n" },
      });
    }, 600_000);
    afterAll(() => pi.close());

    test("I15: an extension that throws, before ours or after it, costs no request", async () => {
      for (const extensions of [
        [THROWER, ours],
        [ours, THROWER],
      ]) {
        const beside = await openPi({ extensions, files: { "notes.txt": "A note.\n" } });
        const running = beside.start();
        beside.provider.script.queue(call("read", { path: "notes.txt" }), say("A note."));
        await running.say("Read the notes");
        await running.say("Go on");
        await running.end();
        const { requests } = beside.provider;
        await beside.close();
        expect(requests).toHaveLength(3);
        expect(rejections(requests)).toEqual([]);
        expect(prefixBreaks(requests)).toEqual([]);
        expect(times(requests.at(-1), "A note.")).toBeGreaterThan(0);
        expect(requests[0]?.system).toContain("Today's date");
      }
    });

    test("I18: old output goes where the window is small, and nothing is refused", async () => {
      const begin = pi.provider.requests.length;
      const running = pi.start([], PI_MODELS.small);
      pi.provider.script.limitTokens = 60_000;
      for (let turn = 0; turn < 12; turn += 1) {
        const command = `seq -f 'run ${turn}: line %g is fine and says so at some length' 1 700`;
        pi.provider.script.queue(call("bash", { command }), say("Fine."));
        await running.say(`Check ${turn}`);
      }
      await running.end();
      pi.provider.script.limitTokens = null;
      const calls = pi.provider.requests.slice(begin);
      expect(calls.every(({ outcome }) => outcome.type === "answered")).toBe(true);
      expect(calls).toHaveLength(24);
      const last = JSON.stringify(calls.at(-1)?.body);
      expect(last).toContain("ctx_expand");
      expect(last).not.toContain("run 0: line 400 ");
    });

    test(
      "I3: kill -9 at any moment loses nothing of what was sent",
      async () => {
        writeFiles(pi.project, { "AGENTS.md": "Use tabs.\n" });
        const kills = LONG ? 100 : 3;
        const begin = pi.provider.requests.length;
        let running = pi.start();
        await running.say("Begin");
        for (let at = 0; at < kills; at += 1) {
          writeFiles(pi.project, { "AGENTS.md": `Use rule ${at}.\n` });
          void running.say(`Prompt ${at}`).catch(() => undefined);
          await Bun.sleep((at * 37) % 200);
          await running.kill9();
          running = pi.start(["--continue"]);
          await running.say(`After ${at}`);
        }
        await running.end();
        const calls = pi.provider.requests
          .slice(begin)
          .filter(({ outcome }) => outcome.type === "answered");
        const database = new Database(pi.database);
        const rewrites = database.query(OF_NEWEST_SESSION).all();
        const check = database.query("PRAGMA integrity_check").all();
        database.close();
        // In so many turns old ones are folded, by plan and on record; nothing else may change what was sent.
        expect(prefixBreaks(calls).length).toBeLessThanOrEqual(rewrites.length);
        expect(times(calls.at(-1), `Use rule ${kills - 1}.`)).toBe(1);
        expect(check).toEqual([{ integrity_check: "ok" }]);
      },
      KILLS_TIMEOUT_MS,
    );

    test("Y9: what is stored on Pi stands in OpenCode's next Baseline, and the other way round", async () => {
      const running = pi.start();
      await running.say("/ctx-memory add Prices are in cents.");
      await running.end();
      const host = await startHost({
        ...STOCK,
        plugin: [join(import.meta.dir, "../../../plugin")],
        providerUrl: pi.provider.url,
        env: { SESSION_RUNTIME_DB: pi.database },
      });
      try {
        const client = host.createClient(pi.project);
        const { id } = await client.createSession();
        await client.prompt(id, "Hello");
        expect(pi.provider.listCalls(id, "main")[0]?.system).toContain("Prices are in cents.");
        pi.provider.script.queueFor(
          id,
          call("ctx_memory", { action: "write", text: "Tables are singular." }),
          say("Stored."),
        );
        await client.prompt(id, "Remember that tables are singular");
      } finally {
        await host.stop();
      }
      const later = pi.start();
      await later.say("Hello");
      await later.end();
      const first = pi.provider.requests.at(-1);
      expect(first?.system).toContain("Prices are in cents.");
      expect(first?.system).toContain("Tables are singular.");
    });
  },
);

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { installPi } from "../../../../scripts/pi-install.mjs";
import { runCli } from "../../../cli/test/command-line.ts";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi, openPi, PI_MODELS, type PiHome, type PiProcess } from "../../src/pi/pi.ts";
import { buildExtension } from "../../src/pi/scenario.ts";
import { type CallRecord, rejections } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";

// The main job on the real Pi, in one session: set up, freeze, announce, fold, kill, resume, status, remove.

setDefaultTimeout(600_000);

const TURNS = 6;
const times = (one: CallRecord | undefined, said: string) =>
  JSON.stringify(one?.body).split(said).length - 1;

describe.skipIf(missingPi !== null)(missingPi ?? "the main job on Pi", () => {
  let pi: PiHome;
  let folder = "";
  beforeAll(async () => {
    folder = dirname(dirname(buildExtension()));
    pi = await openPi({ files: { "AGENTS.md": "Use tabs.\n" } });
  }, 600_000);
  afterAll(() => pi.close());

  const settings = () => readFileSync(join(pi.agent, "settings.json"), "utf8");
  const last = () => pi.provider.calls.at(-1);

  async function setup(...words: readonly string[]): Promise<void> {
    const { node, program } = installPi();
    const command = join(pi.root, "pi");
    writeFileSync(command, `#!/bin/sh\nexec '${node}' '${program}' "$@"\n`);
    chmodSync(command, 0o755);
    const env = {
      PATH: [dirname(node), process.env.PATH].join(delimiter),
      ...{ HOME: pi.root, PI_BIN: command, PI_CODING_AGENT_DIR: pi.agent, PI_OFFLINE: "1" },
      SESSION_RUNTIME_DB: pi.database,
    };
    const ran = await runCli(["setup", "--yes", "--host", "pi", ...words], env, pi.project);
    expect({ exitCode: ran.exitCode, err: ran.err }).toMatchObject({ exitCode: 0 });
  }

  /** What a command of ours shows. */
  async function shown(running: PiProcess, command: string): Promise<string> {
    const notice = running.next(({ method }) => method === "notify");
    await running.say(command);
    return String((await notice).message);
  }

  test("the main job on Pi: set up, frozen, announced once, folded, killed, resumed, shown, and removed to the byte", async () => {
    const before = settings();
    await setup("--no-check", "--no-launcher", "--spec", folder);
    const own = { history: { rewrite: "pressure" }, recall: { enabled: false } };
    writeFiles(pi.agent, { "session-runtime.jsonc": JSON.stringify(own) });

    const running = pi.start([], PI_MODELS.small);
    await running.say("Hello");
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    await running.say("Go on");
    await running.say("And on");
    expect(last()?.system).toContain("Use tabs.");
    expect(times(last(), "Use spaces.")).toBe(1);
    expect(prefixBreaks(pi.provider.calls)).toEqual([]);

    for (let turn = 1; turn <= TURNS; turn++) {
      const command = `seq -f 'turn ${turn}: module %g of the tree was checked' 1 220`;
      pi.provider.script.queue(call("bash", { command }), say(`The value is ${turn * 31}.`));
      await running.say(`Do turn ${turn}`);
    }
    expect(await shown(running, "/ctx-fold")).toContain("At your next message: ");
    await running.say("Folded?");
    expect(times(last(), "<session-history>")).toBeGreaterThan(1);
    for (let turn = 1; turn <= TURNS; turn++) expect(times(last(), `Do turn ${turn}`)).toBe(1);
    const folded = last();

    await running.kill9();
    const again = pi.start(["--continue"], PI_MODELS.small);
    await again.say("I am back");
    expect(prefixBreaks([folded, last()].filter((one) => one !== undefined))).toEqual([]);
    expect(times(last(), "I am back")).toBe(1);

    const calls = pi.provider.calls.length;
    expect(await shown(again, "/ctx-status")).toContain("Session Runtime");
    expect(pi.provider.calls).toHaveLength(calls);
    await again.end();
    expect(rejections(pi.provider.requests)).toEqual([]);

    await setup("--remove");
    expect(settings()).toBe(before);
  });
});

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { eventually } from "../../../plugin/test/eventually.ts";
import { writeFiles } from "../../src/host/home.ts";
import { isObject, type JsonObject, objects } from "../../src/json.ts";
import { missingPi, type PiProcess } from "../../src/pi/pi.ts";
import { call, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { entries, usePi } from "./stage.ts";

// Long results on the real Pi: what Pi does not bound is bounded before it is stored.

setDefaultTimeout(600_000);

const FLOOD = join(import.meta.dir, "../../fixtures/pi/flood.js");
const MAX_BYTES = 51_200 + 1_024;
const LINES = 6_000;
const CUT = /\[\.\.\. \d+ bytes from line \d+ on are not shown here\. Full output saved to: (\S+) /;

describe.skipIf(missingPi !== null)(missingPi ?? "tool output on the real Pi", () => {
  const stage = usePi();

  /** The results of a session, as Pi has stored them. */
  async function results(running: PiProcess): Promise<readonly JsonObject[]> {
    const messages = (await entries(running)).map(({ message }) => message);
    return messages.filter(isObject).filter(({ role }) => role === "toolResult");
  }
  const joinText = ({ content }: JsonObject) =>
    objects(content)
      .map(({ text = "" }) => String(text))
      .join("");

  async function called(name: string, input: JsonObject, running: PiProcess) {
    stage.pi.provider.script.queue(call(name, input), say("Seen."));
    await running.say(`Call ${name}`);
    const result = (await results(running)).at(-1);
    if (!result) throw new Error("no result");
    return result;
  }

  test("F1, F3, F4, F5, F9, F11: on Pi, an extension's texts have one limit, head and tail; its image and details stay, and the file has all", async () => {
    const running = await stage.begin({ extensions: [FLOOD] });
    const result = await called("flood_text", { lines: LINES }, running);
    const text = joinText(result);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
    expect(text).toStartWith("first line 0\n");
    expect(text).toEndWith(`last line ${LINES - 1}`);
    const [, path = ""] = CUT.exec(text) ?? [];
    expect(dirname(path)).toBe(join(stage.pi.root, "data/session-runtime/tool-output"));
    const full = readFileSync(path, "utf8");
    expect(full).toContain(`first line ${LINES - 1}\n\nlast line 0\n`);
    expect(objects(result.content).map(({ type }) => type)).toContain("image");
    expect(result.details).toEqual({ kept: "by the tool", outputPaths: [path] });
    await running.say("And on");
    expect(JSON.stringify(stage.last().body)).not.toContain("first line 5000");
    expect(prefixBreaks(stage.calls())).toEqual([]);
  });

  test("F10: on Pi, the file of a preview is read by Pi's own tools", async () => {
    const running = await stage.begin({ extensions: [FLOOD] });
    const [, path = ""] =
      CUT.exec(joinText(await called("flood_text", { lines: LINES }, running))) ?? [];
    const read = await called("read", { path, offset: 3_001, limit: 2 }, running);
    expect(joinText(read)).toContain("first line 3000\nfirst line 3001");
    const found = await called("bash", { command: `grep -c "last line" ${path}` }, running);
    expect(joinText(found)).toContain(String(LINES));
  });

  test("F2: on Pi, the text of a structured result is bounded in lines", async () => {
    const running = await stage.begin({ extensions: [FLOOD] });
    const result = await called("flood_structure", { lines: LINES }, running);
    expect(joinText(result)).toMatch(CUT);
    expect(Buffer.byteLength(joinText(result))).toBeLessThanOrEqual(MAX_BYTES);
    // Lines, which grep and read can work on; Pi itself stores no structure.
    expect(joinText(result)).toContain('\n      "row": 0\n');
  });

  test("I17: on Pi, the text of a failed call is bounded", async () => {
    const running = await stage.begin({ extensions: [FLOOD] });
    const result = await called("flood_failure", { lines: LINES }, running);
    expect(result.isError).toBe(true);
    expect(joinText(result)).toMatch(CUT);
    expect(Buffer.byteLength(joinText(result))).toBeLessThanOrEqual(MAX_BYTES);
  });

  test("F13: on Pi, what Pi's own tools have cut stays as it is, and a limit of the user's holds for them, too", async () => {
    const command = "seq 1 30000";
    const stock = await stage.begin({ extensions: [FLOOD] });
    const long = joinText(await called("bash", { command }, stock));
    expect(long).not.toMatch(CUT);
    expect(long).toContain("30000");
    await stock.end();
    const limits = { toolOutput: { maxLines: 200, maxBytes: 4_000 } };
    writeFiles(stage.pi.agent, { "session-runtime.json": JSON.stringify(limits) });
    const strict = stage.pi.start();
    const short = joinText(await called("bash", { command }, strict));
    expect(short).toMatch(CUT);
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(4_000);
    const ours = joinText(await called("flood_text", { lines: 20 }, strict));
    expect(ours).not.toMatch(CUT);
  });

  test("F6: on Pi, where the file can't be written, the result says so, and the user gets one notice", async () => {
    const running = await stage.begin({ extensions: [FLOOD] });
    mkdirSync(join(stage.pi.root, "data/session-runtime"), { recursive: true });
    writeFileSync(join(stage.pi.root, "data/session-runtime/tool-output"), "in the way");
    const notice = running.next(({ method }) => method === "notify");
    const result = await called("flood_text", { lines: LINES }, running);
    expect(joinText(result)).toContain("are lost: the full output could not be stored");
    expect(String((await notice).message)).toContain("could not be stored");
    expect(result.details).toEqual({ kept: "by the tool" });
  });

  test("F7: on Pi, expired files of ours go, and nothing else", async () => {
    const running = await stage.begin({ extensions: [FLOOD] });
    const folder = join(stage.pi.root, "data/session-runtime/tool-output");
    const old = `tool_0123456789ab-sr-${"a".repeat(22)}`;
    writeFiles(folder, { [old]: "old", "mine.txt": "old" });
    for (const name of [old, "mine.txt"]) {
      Bun.spawnSync(["touch", "-d", "2020-01-01", join(folder, name)]);
    }
    await called("flood_text", { lines: LINES }, running);
    await eventually("the expired file is gone", () => !existsSync(join(folder, old)));
    expect(readdirSync(folder)).toContain("mine.txt");
    expect(readdirSync(folder)).not.toContain(old);
  });
});

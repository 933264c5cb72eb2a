import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { missingPi, PI_MODELS } from "../../src/pi/pi.ts";
import type { CallRecord } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { usePi } from "./stage.ts";

// A session without `ctx_search` and `ctx_expand` on the real Pi: no text of ours names them to it.
setDefaultTimeout(240_000);

const TURNS = 9;

describe.skipIf(missingPi !== null)(missingPi ?? "the way back on Pi", () => {
  const stage = usePi();

  /** The last request of a long session whose calls are offered what the command line says. */
  async function lastCall(words: readonly string[]): Promise<CallRecord> {
    const running = stage.pi.start(words, PI_MODELS.small);
    for (let turn = 1; turn <= TURNS; turn++) {
      for (const part of ["a", "b"]) {
        const command = `seq -f 'turn ${turn}${part}: module %g of the tree was checked' 1 220`;
        stage.pi.provider.script.queue(call("bash", { command }));
      }
      stage.pi.provider.script.queue(say(`The value is ${turn * 31}.`));
      await running.say(`Do turn ${turn}`);
    }
    await running.end();
    return stage.last();
  }

  const textsOf = ({ blocks }: CallRecord) =>
    blocks.flatMap(({ layer, bytes }) => (layer === "messages" ? [bytes] : [])).join("\n");

  test("on Pi, what goes names no tool that the call lacks, and the same history with them names it", async () => {
    await (await stage.begin()).end();
    const [offered, lacking] = [await lastCall([]), await lastCall(["--tools", "read,bash"])];
    for (const sent of [offered, lacking]) {
      expect(textsOf(sent)).toMatch(/<session-history>|not shown any more/);
    }
    expect(textsOf(offered)).toMatch(/ctx_(?:expand|search)/);
    expect(JSON.stringify(lacking.body)).not.toContain("ctx_");
  });
});

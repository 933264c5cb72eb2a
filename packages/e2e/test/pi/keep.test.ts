import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi, PI_MODELS, type PiProcess } from "../../src/pi/pi.ts";
import { call, say } from "../../src/provider/reply.ts";
import { usePi } from "./stage.ts";

// What is kept, and a fold with a place, on the real Pi.

setDefaultTimeout(600_000);

const TURNS = 6;
const outputLine = (turn: number) => `turn ${turn}: module 57 of the tree`;

describe.skipIf(missingPi !== null)(missingPi ?? "keeping on Pi", () => {
  const stage = usePi();

  async function shown(running: PiProcess, command: string): Promise<string> {
    const notice = running.next(({ method }) => method === "notify");
    await running.say(command);
    return String((await notice).message);
  }

  /** The turns whose result is sent. */
  const standing = () =>
    Array.from({ length: TURNS }, (_, at) => at + 1).filter((turn) =>
      JSON.stringify(stage.last().body).includes(outputLine(turn)),
    );

  async function worked(): Promise<PiProcess> {
    await stage.begin();
    const own = { history: { rewrite: "pressure" } };
    writeFiles(stage.pi.agent, { "session-runtime.jsonc": JSON.stringify(own) });
    const running = stage.pi.start([], PI_MODELS.small);
    for (let turn = 1; turn <= TURNS; turn++) {
      const command = `seq -f 'turn ${turn}: module %g of the tree was checked' 1 220`;
      stage.pi.provider.script.queue(call("bash", { command }), say(`The value is ${turn * 31}.`));
      await running.say(`Do turn ${turn}`);
    }
    return running;
  }

  test("on Pi, /ctx-fold folds before a prompt, and /ctx-keep brings a folded piece back, over a restart", async () => {
    const running = await worked();
    expect(await shown(running, "/ctx-fold before")).toContain("3. “Do turn 4”: spares about ");
    expect(await shown(running, "/ctx-fold before 3")).toContain("At your next message: ");
    await running.say("Folded?");
    expect(standing()).toEqual([4, 5, 6]);

    const history = await shown(running, "/ctx-history");
    const [, ref = ""] = /(h:[0-9a-z]{6})/.exec(history) ?? [];
    expect(await shown(running, `/ctx-keep ${ref}`)).toContain("At your next message ");
    await running.say("Back?");
    expect(standing()).toEqual([1, 4, 5, 6]);

    await running.kill9();
    const again = stage.pi.start(["--continue"], PI_MODELS.small);
    await again.say("I am back");
    expect(standing()).toEqual([1, 4, 5, 6]);
    expect(await shown(again, "/ctx-fold before 1")).toContain("At your next message: ");
    await again.say("Folded all?");
    expect(standing()).toEqual([1]);
    expect(await shown(again, "/ctx-keep")).toContain("the result of bash seq");
    await again.end();
  });
});

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFiles } from "../../src/host/home.ts";
import { missingPi } from "../../src/pi/pi.ts";
import { held, makeGate, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { indexed } from "../indexed.ts";
import { entries, times, usePi } from "./stage.ts";

// `/ctx-augment` on the real Pi: a prompt with what an earlier session says about it.

setDefaultTimeout(600_000);

describe.skipIf(missingPi !== null)(missingPi ?? "/ctx-augment on the real Pi", () => {
  const stage = usePi();

  test("HT7: on Pi, a prompt goes with what an earlier session said about it, which the transcript doesn't show", async () => {
    await stage.begin();
    const settings = { augment: { enabled: true }, recall: { enabled: true } };
    writeFiles(stage.pi.agent, { "session-runtime.jsonc": JSON.stringify(settings) });
    const first = stage.pi.start();
    stage.pi.provider.script.queue(say("The staging database listens on port 5433."));
    await first.say("Where does the staging database listen?");
    await first.say("Thank you");
    await indexed(stage.pi.database, "listens on port 5433");
    await first.end();
    const second = stage.pi.start();
    const settled = second.next(({ type }) => type === "agent_settled");
    const notice = second.next(({ method }) => method === "notify");
    await second.say("/ctx-augment Connect to the staging database");
    await settled;
    expect(String((await notice).message)).toContain(
      "Sent with what earlier work says about it: [r:",
    );
    expect(times(stage.last(), "Connect to the staging database")).toBe(1);
    expect(times(stage.last(), "listens on port 5433")).toBe(1);
    const hidden = (await entries(second)).filter(({ type }) => type === "custom_message");
    expect(hidden).toMatchObject([{ display: false }]);
    await second.say("And on");
    expect(prefixBreaks(stage.calls().slice(-2))).toEqual([]);
    const gate = makeGate();
    stage.pi.provider.script.queue(held(gate, say("Late.")));
    const turn = second.say("Work");
    await stage.pi.provider.arrival(({ index }) => index === stage.calls().length - 1);
    const busy = second.next(({ method }) => method === "notify");
    await second.ask({ type: "prompt", message: "/ctx-augment Another one" });
    expect(String((await busy).message)).toContain("busy, so nothing was sent");
    gate.open();
    await turn;
    expect(times(stage.last(), "Another one")).toBe(0);
    const renamed = second.next(({ message }) => String(message).includes("is now called"));
    const answered = second.next(({ message }) =>
      String(message).endsWith("a prompt after /ctx-augment."),
    );
    await second.ask({ type: "prompt", message: "/ctx-aug" });
    expect(String((await renamed).message)).toContain("/ctx-aug is now called /ctx-augment");
    await answered;
  });
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type RegisteredSource, unavailable } from "../../src/registry.ts";
import { disposeAfterEach, registered } from "../features/custom-sources/registered/session.ts";
import { Rows } from "../model/rows.ts";
import { author, PluginStage } from "./composed-plugin.ts";

disposeAfterEach();

/** No pattern knows it for a credential: a message must not get as far as that. */
const SECRET = "the user's own words";
const KEEPS = "The model keeps what it knows of it; every call tries again.";

let stage: PluginStage;

beforeEach(() => {
  stage = new PluginStage();
});
afterEach(() => stage.close());

function register(load: RegisteredSource["load"]): void {
  registered("team/rota", () => [
    {
      key: "team/rota",
      timeoutMs: 20,
      load,
      baseline: (name) => `On call: ${name}.`,
      update: (_, name) => `On call is now ${name}.`,
    },
  ]);
}

/** A prompt and its model call. */
async function turn(): Promise<string> {
  stage.rows.user(author, stage.world.nowMs, "hello");
  const sent = JSON.stringify(await stage.call());
  stage.rows.assistant(author, stage.world.nowMs, { finish: "stop" });
  return sent;
}

const failures: Readonly<Record<string, readonly [RegisteredSource["load"], string]>> = {
  hangs: [() => new Promise<never>(() => undefined), "no answer within 20 ms"],
  throws: [
    () => {
      throw new RangeError(`nobody of that name: ${SECRET}`);
    },
    "its load threw RangeError",
  ],
  "rejects with a system's error": [
    async () => {
      throw Object.assign(new Error(`connect to ${SECRET}`), { code: "ECONNREFUSED" });
    },
    "its load threw Error ECONNREFUSED",
  ],
  "says why": [() => unavailable("the rota is closed"), "the rota is closed"],
};

describe("I15: a source of which nothing can be seen", () => {
  for (const [fault, [load, reason]] of Object.entries(failures)) {
    test(`that ${fault} is told by toast and log with what it means, once for all calls and sessions`, async () => {
      register(load);
      for (const session of ["ses_1", "ses_2"]) {
        stage.rows = new Rows(session);
        for (let count = 0; count < 2; count += 1) expect(await turn()).toContain("Rule 1 of app.");
      }
      expect(stage.toasts).toEqual([`team/rota can't be read now (${reason}). ${KEEPS}`]);
      const lines = await stage.log();
      const told = lines.filter(({ event }) => event === "source.unavailable");
      expect(told).toMatchObject([{ level: "warn", key: "team/rota", reason }]);
      expect(JSON.stringify([lines, stage.toasts])).not.toContain(SECRET);
    });
  }

  test("I8: that was seen since fails anew: a line of the log, and no second toast", async () => {
    const answers: (string | null)[] = [null, "Ada", null];
    register(() => answers.shift() ?? unavailable("off-line"));
    await turn();
    expect(await turn()).toContain("On call: Ada.");
    await turn();
    expect(stage.toasts).toHaveLength(1);
    const lines = await stage.log();
    expect(lines.filter(({ event }) => event === "source.unavailable")).toHaveLength(2);
  });
});

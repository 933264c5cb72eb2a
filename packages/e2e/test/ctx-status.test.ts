import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Bench } from "../src/open.ts";
import { call, held, makeGate, say } from "../src/provider/reply.ts";
import { countCallsBesideTitles, PATIENT, useStage } from "./conformance/stage.ts";
import { answered, ctxStatus, errorMessage, PLUGIN, reports, Stage } from "./ctx-status-stage.ts";
import { longTest } from "./long.ts";

setDefaultTimeout(600_000);

/** For tests that need a host of their own. */
const stage = new Stage();
const shared = useStage({ plugin: [[PLUGIN, PATIENT]] });

/** The request without what differs from run to run: the throwaway home. */
function readWire(
  { host, provider }: Pick<Bench, "host" | "provider">,
  id: string,
): readonly string[] {
  return provider
    .listCalls(id, "main")
    .map(({ raw }) => new TextDecoder().decode(raw).replaceAll(host.home.root, "HOME"));
}

describe("/ctx-status while the session is idle", () => {
  test("the report is an ignored part at the end of the transcript; no model is called, and the caller reads that it is not an error", async () => {
    const { host, provider } = shared;
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    const before = countCallsBesideTitles(provider);
    const answer = errorMessage(await ctxStatus(host.client, id));
    expect(countCallsBesideTitles(provider)).toBe(before);
    expect(answer).toContain(
      "This is not an error: /ctx-status was answered without a model call.",
    );
    expect(answer).toContain(`The report is the newest message of session ${id}.`);
    expect(answer).toContain("In short: epoch 1");
    const messages = await host.client.messages(id);
    expect(reports(messages)).toHaveLength(1);
    expect(reports(messages.slice(-1))[0]?.text).toContain(`Storage     ${host.home.database}`);
  });

  test("a command that is off answers how to turn it on, without a model call", async () => {
    const { host, provider } = shared;
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    const before = countCallsBesideTitles(provider);
    for (const name of ["ctx-upkeep", "ctx-augment"]) {
      const answer = errorMessage(await answered(host.client, id, name));
      expect(answer).toContain(`This is not an error: /${name} was answered without a model call.`);
      expect(answer).toContain(`/${name} is turned off in your settings. To turn it on,`);
    }
    expect(countCallsBesideTitles(provider)).toBe(before);
  });

  test("it leaves no trace on the wire: later calls are byte for byte those of a session without it", async () => {
    const run = async (asked: "asked" | "never") => {
      const { client } = shared.host;
      const { id } = await client.createSession();
      await client.prompt(id, "Hello");
      if (asked === "asked") await ctxStatus(client, id);
      await client.prompt(id, "Go on");
      if (asked === "asked") await ctxStatus(client, id);
      await client.prompt(id, "And again");
      return readWire(shared, id);
    };
    const asked = await run("asked");
    expect(asked).toHaveLength(3);
    expect(asked).toEqual(await run("never"));
  });

  longTest(
    "agent, model and variant of the session stay what they were, after plan mode too",
    async () => {
      const { host } = await stage.open();
      const { client } = host;
      const { id } = await client.createSession();
      await client.prompt(id, "Hello");
      const chosen = {
        agent: "plan",
        model: { providerID: "anthropic", modelID: "claude-second" },
      };
      await client.request("POST", `/session/${id}/message`, {
        ...chosen,
        variant: "high",
        parts: [{ type: "text", text: "Now plan" }],
      });
      const pickAgentAndModel = (session: object) => {
        const { agent, model } = session as { agent?: unknown; model?: unknown };
        return { agent, model };
      };
      const before = pickAgentAndModel(await client.session(id));
      expect(before).toMatchObject({ agent: "plan", model: { variant: "high" } });
      await ctxStatus(client, id);
      const messages = await client.messages(id);
      const prompted = messages.findLast(
        ({ info, parts }) => info.role === "user" && JSON.stringify(parts).includes("Now plan"),
      );
      const [report] = reports(messages);
      if (report?.info.role !== "user" || prompted?.info.role !== "user")
        throw new Error("no report");
      expect(report.info.agent).toBe("plan");
      expect(report.info.model).toEqual(prompted.info.model);
      expect(pickAgentAndModel(await client.session(id))).toEqual(before);
    },
  );

  longTest(
    "in a session without a prompt nothing is written, and its first prompt still gets a title",
    async () => {
      const { host, provider } = await stage.open();
      const { id } = await host.client.createSession();
      const answer = errorMessage(await ctxStatus(host.client, id));
      expect(answer).toContain("no message yet");
      expect(await host.client.messages(id)).toEqual([]);
      await host.client.prompt(id, "Hello");
      expect(provider.listCalls(id, "title")).toHaveLength(1);
    },
  );

  test("an undo that can still be taken back stays so: the report goes to the caller instead", async () => {
    const { host } = shared;
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    await host.client.prompt(id, "A second");
    const before = await host.client.messages(id);
    await host.client.revert(id, before[2]?.info.id ?? "");
    const answer = errorMessage(await ctxStatus(host.client, id));
    expect(answer).toContain(`Session Runtime: ${id}`);
    await host.client.unrevert(id);
    expect((await host.client.messages(id)).map(({ info }) => info.id)).toEqual(
      before.map(({ info }) => info.id),
    );
  });

  test("I13: an update is told to the model and shown in the report, and no message of the transcript holds it", async () => {
    const { host, provider } = shared;
    const { id } = await host.client.createSession();
    await host.client.prompt(id, "Hello");
    await Bun.write(join(host.project, "AGENTS.md"), "Answer in long sentences.\n");
    await host.client.prompt(id, "Go on");
    const sent = new TextDecoder().decode(provider.listCalls(id, "main").at(-1)?.raw);
    expect(sent).toContain("<system-update>");
    await ctxStatus(host.client, id);
    const messages = await host.client.messages(id);
    expect(JSON.stringify(messages)).not.toContain("system-update");
    expect(JSON.stringify(messages)).not.toContain("long sentences");
    expect(reports(messages)[0]?.text).toMatch(/standing +[\d,]+ bytes {2}core\/instructions/);
  });
});

describe("/ctx-status while the session is busy", () => {
  test("a toast at once and the report when the session has settled; no further model call", async () => {
    const { host, provider } = shared;
    const { client } = host;
    const { id } = await client.createSession();
    const events = await client.events();
    const gate = makeGate();
    provider.script.queueFor(id, call("glob", { pattern: "*.md" }), held(gate, say("Found.")));
    const turn = await client.promptAsync(id, "Look around");
    await provider.arrival(
      (record) => record.session === id && provider.listCalls(id, "main").length === 2,
    );
    const toast = events.next(({ type }) => type === "tui.toast.show");
    const answer = errorMessage(await ctxStatus(client, id));
    expect(answer).toContain("The session is busy");
    await ctxStatus(client, id);
    await toast;
    expect(reports(await client.messages(id))).toEqual([]);
    const written = events.next(
      ({ type, properties }) =>
        type === "message.part.updated" && JSON.stringify(properties).includes("Session Runtime: "),
    );
    gate.open();
    await turn.settled;
    await written;
    await Bun.sleep(300);
    expect(reports(await client.messages(id))).toHaveLength(1);
    expect(provider.listCalls(id, "main")).toHaveLength(2);
    events.close();
    await client.prompt(id, "Go on");
    expect(provider.listCalls(id, "main")).toHaveLength(3);
    expect(readWire(shared, id).at(-1)).not.toContain("Session Runtime: ");
  });
});

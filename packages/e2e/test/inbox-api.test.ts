import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { call, calls, held, makeGate, say } from "../src/provider/reply.ts";
import { exampleCode } from "./documents.ts";
import { allAnswered, inputs, sentTexts, states, useInboxHost, userTexts } from "./inbox-stage.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const OURS = join(ROOT, "packages/plugin");
const EXAMPLE = join(ROOT, "examples/follow-up-plugin");
const DOCUMENTED = exampleCode("The inbox for plugins", "js").replace(/^import .*$/m, "");
const folder = mkdtempSync(join(tmpdir(), "session-runtime-inbox-api-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs what stands in the prompt's file of code, and writes what it came to beside it. */
const PROBE = `
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { inboxOf } from ${JSON.stringify(join(OURS, "src/inbox.ts"))};
export default {
  id: "probe",
  server: async ({ directory }) => ({
    "chat.message": async ({ sessionID: sessionId }, { parts }) => {
      const path = /^probe (.*)$/.exec(parts[0]?.text)?.[1];
      if (!path) return;
      const work = new Function("inboxOf", "directory", "sessionId", "return (async () => {" + readFileSync(path, "utf8") + "})()");
      const settle = (outcome) => {
        writeFileSync(path + ".half", JSON.stringify(outcome));
        renameSync(path + ".half", path + ".out");
      };
      void work(inboxOf, directory, sessionId).then(
        (value) => settle({ value }),
        ({ name, code, message, field }) => settle({ name, code, message, field }),
      );
    },
  }),
};
`;

const probe = join(folder, "probe.ts");
writeFileSync(probe, PROBE);
// Bundled, it has a copy of its own of everything that it imports.
await Bun.build({ entrypoints: [probe], outdir: folder, target: "bun" });

let probes = 0;

/** Runs code in another plugin of the host, in the name of a session. */
async function inHost<Outcome>(sessionId: string, code: string): Promise<Outcome> {
  probes += 1;
  const path = join(folder, `code-${probes}`);
  writeFileSync(path, code);
  const note = { type: "text", text: `probe ${path}` };
  const body = { noReply: true, agent: "build", parts: [note] };
  await bench().host.client.request("POST", `/session/${sessionId}/message`, body);
  await eventually("the code has run", () => existsSync(`${path}.out`));
  return JSON.parse(readFileSync(`${path}.out`, "utf8"));
}

const bench = useInboxHost({ plugin: [join(folder, "probe.js"), EXAMPLE, OURS] });

async function busy() {
  const { host, provider } = bench();
  const { id } = await host.client.createSession();
  const gate = makeGate();
  provider.script.queueFor(id, held(gate, say("Done with it.")));
  await host.client.promptAsync(id, "First");
  await eventually("the call is there", () => provider.listCalls(id, "main").length === 1);
  return { id, gate };
}

describe("the inbox by code, from another plugin of the host", () => {
  test("G5: the example's follow-up is queued once per turn that edits, and sent when it has settled", async () => {
    const { host, provider } = bench();
    const { id } = await host.client.createSession();
    const write = (name: string) => ({
      name: "write",
      input: { filePath: join(host.project, name), content: "x" },
    });
    provider.script.queueFor(id, calls(write("a.txt"), write("b.txt")), say("Written."));
    provider.script.queueFor(id, call("write", write("c.txt").input), say("Mended."));
    await host.client.prompt(id, "Write two files");
    await allAnswered(bench(), id);
    await eventually("both are answered", () => inputs(bench(), id).length === 2);
    await allAnswered(bench(), id);
    expect(userTexts(await host.client.messages(id))).toEqual([
      "Write two files",
      "Run the tests of what you have changed, and mend what fails.",
    ]);
    expect(existsSync(join(host.project, "c.txt"))).toBeTrue();
    expect(inputs(bench(), id).map(({ delivery }) => delivery)).toEqual(["steer", "queue"]);
  });

  test("G6: the documents' example queues, lists, interrupts and goes on, from a module of its own", async () => {
    const { id } = await busy();
    const { value } = await inHost<{ value: { waiting: { preview: string }[]; went: unknown } }>(
      id,
      `${DOCUMENTED}; return { waiting, went };`,
    );
    expect(value.waiting.map(({ preview }) => preview)).toEqual(["Now write the tests", "Deploy"]);
    expect(value.went).toMatchObject({ kind: "going-on" });
    await eventually("all are answered", () =>
      states(bench(), id).every((state) => state === "answered" || state === "recorded"),
    );
    const texts = sentTexts(bench(), id).at(-1) ?? [];
    expect(texts.filter((text) => !text.startsWith("probe"))).toEqual([
      "First",
      "Now write the tests",
      "Deploy",
    ]);
  });

  test("G3, G4: the same id again is a retry, or a conflict that stores nothing", async () => {
    const { id, gate } = await busy();
    const admit = (text: string, delivery: string) =>
      `await inboxOf(directory).admit({ sessionId, id: "mine-1", delivery: "${delivery}", parts: [{ type: "text", text: "${text}" }] })`;
    const { value } = await inHost<{ value: { kind: string; prompt: { preview: string } }[] }>(
      id,
      `return [${admit("Later", "queue")}, ${admit("Later", "queue")}, ${admit("Other", "queue")}, ${admit("Later", "steer")}];`,
    );
    expect(value.map(({ kind }) => kind)).toEqual(["admitted", "retry", "conflict", "conflict"]);
    expect(value.map(({ prompt }) => prompt.preview)).toEqual(Array(4).fill("Later"));
    expect(inputs(bench(), id).filter((row) => row.id === "mine-1")).toHaveLength(1);
    gate.open();
    await eventually("answered", () => states(bench(), id).every((state) => state !== "waiting"));
  });

  test("a steer of another plugin's joins the running work at its next call", async () => {
    const { host, provider } = bench();
    const { id } = await host.client.createSession();
    const gate = makeGate();
    const read = call("read", { filePath: join(host.project, "notes.txt") });
    provider.script.queueFor(id, held(gate, read), say("Both done."));
    await host.client.promptAsync(id, "First");
    await eventually("the call is there", () => provider.listCalls(id, "main").length === 1);
    const steer = { id: null, delivery: "steer", parts: [{ type: "text", text: "And this" }] };
    await inHost(
      id,
      `return inboxOf(directory).admit({ sessionId, ...${JSON.stringify(steer)} });`,
    );
    gate.open();
    await allAnswered(bench(), id);
    expect(sentTexts(bench(), id)[1]).toContain("And this");
  });

  const refusals: readonly (readonly [string, string, object])[] = [
    [
      "an unknown session",
      `inboxOf(directory).queue("ses_nobody", "Hi")`,
      { code: "unknown_session" },
    ],
    [
      "another directory",
      `inboxOf("/nowhere").queue(sessionId, "Hi")`,
      { code: "inbox_unavailable" },
    ],
    [
      "an empty text",
      `inboxOf(directory).queue(sessionId, " ")`,
      { code: "invalid_prompt", field: "parts[0].text" },
    ],
    [
      "a delivery that there is not",
      `inboxOf(directory).admit({ sessionId, id: null, delivery: "later", parts: [{ type: "text", text: "Hi" }] })`,
      { code: "invalid_prompt", field: "delivery" },
    ],
    [
      "no parts",
      "inboxOf(directory).admit({ sessionId, id: null, delivery: 'queue', parts: [] })",
      { code: "invalid_prompt", field: "parts" },
    ],
    [
      "a session's name with path separators",
      'inboxOf(directory).queue("ses_/../../config", "Hi")',
      { code: "invalid_prompt", field: "sessionId" },
    ],
    [
      "no session",
      "inboxOf(directory).list(undefined)",
      { code: "invalid_prompt", field: "sessionId" },
    ],
  ];
  for (const [what, code, expected] of refusals) {
    test(`${what} is an error with a code, and nothing is stored`, async () => {
      const { id } = await bench().host.client.createSession();
      expect(await inHost<object>(id, `return ${code};`)).toMatchObject(expected);
      expect(inputs(bench(), id).filter(({ delivery }) => delivery === "queue")).toEqual([]);
    });
  }
});

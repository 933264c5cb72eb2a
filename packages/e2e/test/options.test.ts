import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { MODELS } from "../src/host/models.ts";
import { call, say } from "../src/provider/reply.ts";
import { history, OURS, type Talk, useStage } from "./conformance/stage.ts";
import { ctxStatus, reports } from "./ctx-status-stage.ts";
import { exampleSettings } from "./documents.ts";

const patient = { observation: { timeoutMs: 10_000 } };

describe("M1: settings of models on the wire", () => {
  const example = exampleSettings("Settings per model");
  const odd = {
    "anthropic/claude-second": { temprature: 0.5, temperature: "hot", thinking: 5 },
    "chat/*": { chat_template_kwargs: { enable_thinking: false } },
  };
  const requestOptions = { ...odd, ...Object(example.requestOptions) };
  // The SDK withholds a temperature from models that it does not know: this one it does.
  const known = { providerID: "anthropic", modelID: "claude-haiku-4-5" };
  const models = { [known.modelID]: { name: "Known", limit: { context: 200_000, output: 4000 } } };
  const stage = useStage({
    plugin: [[OURS, { ...example, ...patient, requestOptions }]],
    files: {
      "AGENTS.md": "Answer in short sentences.\n",
      "opencode.json": JSON.stringify({ provider: { anthropic: { models } } }),
    },
  });

  test("Anthropic: generation controls and request options reach the provider", async () => {
    const talk = await stage.talk();
    await talk.say("Hello", { model: known });
    const { temperature, max_tokens, tool_choice } = talk.last().body;
    expect({ temperature, max_tokens, tool_choice }).toEqual({
      temperature: 0.2,
      max_tokens: 3000,
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    });
  });

  test("OpenAI: the same by its own terms", async () => {
    const talk = await stage.talk();
    await talk.say("Hello", { model: MODELS.responses });
    expect(talk.last().body).toMatchObject({
      temperature: 0.4,
      text: { verbosity: "low" },
      user: "team-blue",
    });
  });

  test("an OpenAI-compatible provider is passed what only it knows", async () => {
    const talk = await stage.talk();
    await talk.say("Hello", { model: MODELS.chat });
    expect(talk.last().body).toMatchObject({
      temperature: 0.4,
      chat_template_kwargs: { enable_thinking: false },
    });
  });

  test("I14: a title call keeps the host's settings", async () => {
    const talk = await stage.talk();
    await talk.say("Hello");
    const { body } = await stage.provider.arrival(
      ({ session, kind }) => session === talk.id && kind === "title",
    );
    expect(body.temperature).not.toBe(0.2);
    expect(body.max_tokens).not.toBe(3000);
  });

  test("a temperature that the catalogue says the model does not take is said once, with the model; it is passed on", async () => {
    const talk = await stage.talk();
    await talk.say("Hello", { model: MODELS.chat });
    await talk.say("Again", { model: MODELS.chat });
    const said =
      (await readStatusText(talk)).split("chat/gpt-chat does not accept temperature").length - 1;
    expect(said).toBe(1);
    expect(talk.last().body).toMatchObject({ temperature: 0.4 });
  });

  test("an unknown setting and one of the wrong type are warned about, with the model; the turn goes on", async () => {
    const talk = await stage.talk();
    await talk.say("Hello", { model: MODELS.second });
    expect(talk.last().outcome.type).toBe("answered");
    expect(talk.last().body).toMatchObject({ max_tokens: 3000 });
    const status = await readStatusText(talk);
    expect(status).toContain(
      "anthropic/claude-second is not known to accept the setting temprature",
    );
    expect(status).toContain("The setting thinking for anthropic/claude-second must be an object.");
    expect(status).not.toContain("chat_template_kwargs");
  });
});

describe("M2: variables of shells on the real host", () => {
  const example = exampleSettings("Variables of shells and terminals");
  const environment = {
    ...Object(example.environment),
    "./": { TERM: "s3cret-term", OPENCODE: "s3cret-mark", AGENT: "s3cret-agent" },
  };
  const stage = useStage({
    plugin: [[OURS, { environment, ...patient }]],
    files: { "AGENTS.md": "Answer in short sentences.\n", "services/api/a.txt": "a" },
  });
  const PRINT = "echo stage=$STAGE token=$API_TOKEN term=$TERM mark=$OPENCODE agent=$AGENT";
  const bash = (workdir: string) =>
    call("bash", { command: PRINT, description: "Prints variables", workdir });

  /** What the bash tool printed in a directory. */
  async function printed(talk: Talk, directory: string): Promise<string> {
    stage.provider.script.queueFor(talk.id, bash(join(stage.host.project, directory)), say("So."));
    await talk.say("Print them");
    return history(talk.last()).findLast(({ text }) => text.includes("stage="))?.text ?? "";
  }

  test("the bash tool gets those of its directory; the host's own stay", async () => {
    const talk = await stage.talk();
    const above = await printed(talk, ".");
    expect(above).toContain("stage=dev token=only-the-shell-knows");
    expect(above).not.toContain("s3cret");
    expect(above).toContain("mark=1 agent=1");
    expect(await printed(talk, "services/api")).toContain(
      "stage=service token=only-the-shell-knows",
    );
  });

  test("a `!` command and a terminal get them, too", async () => {
    const { client, id } = await stage.talk();
    await client.shell(id, PRINT);
    const shown = JSON.stringify(await client.messages(id));
    expect(shown).toContain("stage=dev token=only-the-shell-knows term=dumb mark=1");
    const file = join(stage.host.project, "terminal.txt");
    const args = ["-c", `${PRINT} > ${file}.new && mv ${file}.new ${file}`];
    await client.request("POST", "/pty", { command: "/bin/sh", args });
    await eventually("the terminal has printed", () => existsSync(file));
    expect(readFileSync(file, "utf8")).toBe(
      "stage=dev token=only-the-shell-knows term=xterm-256color mark=1 agent=1\n",
    );
  });

  test("values are neither in the log nor in the status; the names that are the host's are warned about", async () => {
    const talk = await stage.talk();
    await talk.say("Hello");
    const status = await readStatusText(talk);
    expect(status).toContain("The variable TERM belongs to OpenCode");
    const folder = join(stage.host.home.database, "..");
    const logs = readdirSync(folder)
      .filter((name) => name.includes(".log"))
      .map((name) => readFileSync(join(folder, name), "utf8"));
    expect(logs.join("")).toContain("environment_protected:TERM");
    expect([status, ...logs].join("")).not.toMatch(/s3cret|only-the-shell-knows/);
  });
});

/** The text of /ctx-status. */
/** The status as one line: a report wraps where it likes. */
async function readStatusText(talk: Talk): Promise<string> {
  await ctxStatus(talk.client, talk.id);
  const text = reports(await talk.client.messages(talk.id)).at(-1)?.text ?? "";
  return text.replaceAll(/\s+/g, " ");
}

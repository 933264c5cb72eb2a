import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import { MODELS } from "../src/host/models.ts";
import { openBench } from "../src/open.ts";
import { call, say } from "../src/provider/reply.ts";
import { makeTalk, OURS } from "./conformance/stage.ts";

interface Line {
  readonly event: string;
  readonly level: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly [attribute: string]: unknown;
}

const TIMEOUT_MS = 600_000;
const SECRET = "sk-do-not-log-this-0123456789";

/** A plugin that keeps an SDK's spans, as a user's exporter would, and writes them to a file. */
function sdkPlugin(folder: string): string {
  const sdk = Bun.resolveSync("@opentelemetry/sdk-trace-base", import.meta.dir);
  const api = Bun.resolveSync("@opentelemetry/api", import.meta.dir);
  const path = join(folder, "exporter.ts");
  writeFileSync(
    path,
    `import { appendFileSync } from "node:fs";
     import { trace } from "${api}";
     import { BasicTracerProvider, SimpleSpanProcessor } from "${sdk}";
     const exporter = {
       export(spans, done) {
         for (const span of spans) appendFileSync("${folder}/spans", JSON.stringify({ name: span.name,
           id: span.spanContext().spanId, parent: span.parentSpanContext?.spanId ?? null,
           attributes: span.attributes }) + "\\n");
         done({ code: 0 });
       },
       shutdown: async () => undefined,
     };
     trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
     export default { id: "exporter", server: async () => ({}) };`,
  );
  return path;
}

async function waitForLines(path: string, event: string, count: number): Promise<readonly Line[]> {
  let all: readonly Line[] = [];
  await eventually(`${count} lines of ${event} in ${path}`, () => {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    all = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    return all.filter((line) => line.event === event).length >= count;
  });
  return all;
}

const jobName = (line: Line) => String(line["session_runtime.job.name"]);

/** Each kind of job there is, in the log and among the spans. */
async function expectJobs(id: string, logPath: string, spansPath: string): Promise<void> {
  const wanted = ["brief", "inbox", "recovery", "retention", "turn-record"];
  const jobs = async () => (await waitForLines(logPath, "trace.job", 1)).filter(isJob);
  const isJob = ({ event }: Line) => event === "trace.job";
  while (new Set((await jobs()).map(jobName)).size < wanted.length) await Bun.sleep(50);
  const found = await jobs();
  expect([...new Set(found.map(jobName))].sort()).toEqual(wanted);
  expect(found.map(({ outcome }) => outcome).filter((outcome) => outcome !== "done")).toEqual([]);
  const one = (name: string) => found.find((line) => jobName(line) === name);
  expect(one("brief")?.["session_runtime.brief.chars"]).toBeGreaterThan(100);
  expect(one("brief")).toMatchObject({ level: "info", "gen_ai.conversation.id": id });
  expect(one("inbox")).toMatchObject({
    level: "debug",
    "session_runtime.inbox.outcome": expect.any(String),
  });
  expect(one("turn-record")).toMatchObject({ level: "debug", "gen_ai.conversation.id": id });
  expect(one("retention")).toMatchObject({ "session_runtime.retention.removed": 0 });
  expect(one("recovery")?.["gen_ai.conversation.id"]).toBeUndefined();
  const spans = readFileSync(spansPath, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const brief = spans.find(({ name }) => name === "session_runtime.job brief");
  const above = spans.find(({ id }) => id === brief.parent);
  expect(above.name).toBe("session_runtime.compaction");
  const kinds = spans.flatMap(({ name }) => /^session_runtime\.job (.*)$/.exec(name)?.[1] ?? []);
  expect([...new Set(kinds)].sort()).toEqual(wanted);
}

test(
  "M5, NFR-04: drains, boundaries, epochs and compactions are lines of the log and spans, without texts",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "session-runtime-traces-"));
    const bench = await openBench({
      plugin: [sdkPlugin(folder), [OURS, { log: { level: "debug" } }]],
    });
    try {
      const { host, provider } = bench;
      const { id } = await host.client.createSession();
      const talk = makeTalk(bench, host.client, id);
      await talk.say(`Keep ${SECRET} to yourself`);
      talk.edit({ "AGENTS.md": "Be kind to the owl.\n" });
      provider.script.queueFor(id, say("The owl answers."));
      await talk.say("Two");
      await host.client.summarize(id, MODELS.anthropic);
      await talk.say("Three");
      const path = join(dirname(host.home.database), "runtime.log");
      const lines = await waitForLines(path, "trace.drain", 4);
      const all = lines.filter(({ event }) => event.startsWith("trace."));
      const traces = all.filter(({ event }) => event !== "trace.job");
      const events = (name: string) => traces.filter(({ event }) => event === `trace.${name}`);
      expect(events("boundary").map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
      expect(events("epoch").map((line) => line["session_runtime.epoch.cause"])).toEqual([
        "first",
        "compacted",
      ]);
      expect(events("compaction").map(({ outcome }) => outcome)).toEqual(["done"]);
      expect(events("drain").map((line) => line["session_runtime.boundaries"])).toEqual([
        1, 1, 0, 1,
      ]);
      expect(events("drain").map((line) => line["session_runtime.updates"])).toEqual([0, 1, 0, 0]);
      expect(events("drain")[0]?.["gen_ai.usage.input_tokens"]).toBeGreaterThan(1_000);
      expect(events("drain")[0]?.["gen_ai.request.model"]).toBe("claude-mock");
      for (const line of traces) expect(line["gen_ai.conversation.id"]).toBe(id);
      for (const { durationMs } of traces) expect(durationMs).toBeGreaterThanOrEqual(0);

      const spans = readFileSync(join(folder, "spans"), "utf8").trim().split("\n");
      const told = spans
        .map((span) => JSON.parse(span))
        .filter(({ name }) => /^session_runtime\.(?!job)/.test(name));
      expect(told.map(({ name }) => name.slice("session_runtime.".length)).sort()).toEqual(
        traces.map(({ event }) => event.slice("trace.".length)).sort(),
      );
      const names = new Map(told.map(({ id: span, name }) => [span, name]));
      for (const { name, parent } of told) {
        const above = name === "session_runtime.epoch" ? "boundary" : "drain";
        const expected = name === "session_runtime.drain" ? undefined : `session_runtime.${above}`;
        expect(names.get(parent)).toBe(expected);
      }
      const notes = join(host.project, "notes.txt");
      provider.script.queueFor(id, call("read", { filePath: notes }), say("Read."));
      await talk.say("Read it");
      await expectJobs(id, path, join(folder, "spans"));
      for (const text of [
        readFileSync(path, "utf8"),
        readFileSync(join(folder, "spans"), "utf8"),
      ]) {
        for (const secret of [SECRET, "owl", "to yourself", "mock-key"])
          expect(text).not.toContain(secret);
      }
    } finally {
      await bench.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);

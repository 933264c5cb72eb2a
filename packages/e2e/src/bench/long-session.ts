// Imports a session of many messages into the host.
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import type { Host } from "../host/host.ts";
import { MODELS } from "../host/models.ts";
import { isolatedEnvironment } from "../host/process.ts";

/** Rows of one turn: the prompt, two answers with a tool call each, and a closing text. */
const ROWS_PER_TURN = 4;
const INTERVAL_MS = 500;
const TOOL_OUTPUT_LINES = [12, 40, 90, 25];

/**
 * A session with so many messages of realistic size (about 2 kB each), put into the host by its own
 * `import`. Returns the session's id.
 */
export async function importLongSession(host: Host, messages: number): Promise<string> {
  const info = await host.client.createSession();
  const id = `${info.id.slice(0, -6)}Length`;
  const startedAt = Date.now() - (messages + 1) * INTERVAL_MS;
  const rows = Array.from({ length: messages }, (_, index) =>
    createRow(index, startedAt, id, host),
  );
  const file = join(host.home.root, `${id}.json`);
  await Bun.write(
    file,
    JSON.stringify({ info: { ...info, id, title: "A long session" }, messages: rows }),
  );
  const { success, stderr } = Bun.spawnSync([hostBinary(), "import", "--pure", file], {
    cwd: host.project,
    env: isolatedEnvironment(host.home),
  });
  const kept = (await host.client.messages(id)).length;
  if (!success || kept !== messages) {
    throw new Error(`The host imported ${kept} of ${messages} messages: ${stderr.toString()}`);
  }
  return id;
}

function createRow(index: number, startedAt: number, sessionID: string, host: Host): object {
  const created = startedAt + index * INTERVAL_MS;
  const id = hostId("msg", created, sessionID);
  const own = { sessionID, messageID: id };
  const place = index % ROWS_PER_TURN;
  if (place === 0) {
    const { providerID, modelID } = MODELS.anthropic;
    const user = {
      role: "user",
      agent: "build",
      model: { providerID, modelID },
      time: { created },
    };
    const text = `Turn ${index}: ${"look at this part and tell me what it does. ".repeat(4)}`;
    return {
      info: { ...user, summary: { diffs: [] }, id, sessionID },
      parts: [{ type: "text", text, id: hostId("prt", created, sessionID), ...own }],
    };
  }
  const work =
    place === ROWS_PER_TURN - 1
      ? { type: "text", text: "It is a list of pure functions. ".repeat(20), time: span(created) }
      : toolPart(index, created, host.project);
  const tokens = { input: 10, output: 10, reasoning: 0, cache: { read: 1_000, write: 0 } };
  const finish = place === ROWS_PER_TURN - 1 ? "stop" : "tool-calls";
  const parts = [
    { type: "step-start" },
    work,
    { type: "step-finish", reason: finish, tokens, cost: 0 },
  ];
  return {
    info: {
      ...{
        role: "assistant",
        mode: "build",
        agent: "build",
        cost: 0,
        tokens,
        finish,
        id,
        sessionID,
      },
      parentID: hostId("msg", created - place * INTERVAL_MS, sessionID),
      path: { cwd: host.project, root: host.project },
      ...MODELS.anthropic,
      time: { created, completed: created + 100 },
    },
    parts: parts.map((part, at) => ({
      ...part,
      id: hostId("prt", created + at, sessionID),
      ...own,
    })),
  };
}

function toolPart(index: number, created: number, project: string): object {
  const lines = TOOL_OUTPUT_LINES[index % TOOL_OUTPUT_LINES.length] ?? 0;
  const filePath = `${project}/src/part${(index % 14) + 1}.ts`;
  const output = Array.from(
    { length: lines },
    (_, line) =>
      `${line + 1}: export const step${index}x${line} = (input: number) => input * ${line};`,
  ).join("\n");
  return {
    ...{ type: "tool", tool: "read", callID: `toolu_${index}` },
    state: {
      ...{ status: "completed", input: { filePath }, output: `<content>\n${output}\n</content>` },
      ...{ metadata: { truncated: false, loaded: [] }, title: "part", time: span(created) },
    },
  };
}

function span(created: number): object {
  return { start: created, end: created + 50 };
}

/**
 * As the host makes them: 48 bits of milliseconds and a counter, so that ids sort by time; then what
 * sets those of one session apart from another's.
 */
function hostId(prefix: "msg" | "prt", atMs: number, sessionID: string): string {
  const stamp = (BigInt(atMs) * 0x1000n) & 0xffffffffffffn;
  return `${prefix}_${stamp.toString(16).padStart(12, "0")}${sessionID.slice(-20, -6)}`;
}

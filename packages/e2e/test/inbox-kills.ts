// Kills of the real host by the millisecond after a prompt, and what must be true afterwards.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import type { Part } from "@opencode-ai/sdk/v2";
import { HostError } from "../src/client/client.ts";
import { writeFiles } from "../src/host/home.ts";
import type { Bench } from "../src/open.ts";
import { eventually, expectSound, inputs, run, sentTexts } from "./inbox-stage.ts";

/** What happens when the host is there again. */
export type Afterwards = "next" | "resume" | "auto";

/** A prompt that the host was killed after, by milliseconds. */
export interface Shot {
  readonly id: string;
  readonly messageId: string;
  readonly delayMs: number;
  readonly text: string;
  /** With a file, the host saves several parts. */
  readonly withFile: boolean;
}

/** How the kills found their prompts. */
export interface Tally {
  kills: number;
  prompts: number;
  admitted: number;
  /** Of those admitted: not in the host's history, there in part, there in full. */
  absent: number;
  torn: number;
  whole: number;
}

export const emptyTally = (): Tally => ({
  kills: 0,
  prompts: 0,
  admitted: 0,
  absent: 0,
  torn: 0,
  whole: 0,
});

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let shots = 0;

async function prepare({ host }: Bench, delayMs: number): Promise<Shot> {
  const { id } = await host.client.createSession();
  shots += 1;
  const stamp = (BigInt(Date.now()) * 4096n + BigInt(shots % 4096)).toString(16).slice(-12);
  const messageId = `msg_${stamp}${String(shots).padStart(14, "0")}`;
  const text = `Prompt ${shots}, ${delayMs} ms before the kill.`;
  return { id, messageId, delayMs, text, withFile: shots % 3 === 0 };
}

/** `none`: it is saved, and no call has it before the host is killed. */
type Asked = "reply" | "none";

function fire({ host }: Bench, shot: Shot, asked: Asked): Promise<unknown> {
  const { id, messageId, text, withFile } = shot;
  const url = `file://${join(host.project, "notes.txt")}`;
  const file = { type: "file", url, mime: "text/plain", filename: "notes.txt" };
  const parts = [{ type: "text", text }, ...(withFile ? [file] : [])];
  const body = { messageID: messageId, parts, noReply: asked === "none" };
  // Without a reply this one ends when the prompt is saved; the other ends before that.
  const route = asked === "none" ? "message" : "prompt_async";
  return host.client.request("POST", `/session/${id}/${route}`, body).catch((error) => {
    // The host goes away under these requests; that it refuses one is another matter.
    if (error instanceof HostError) throw error;
  });
}

/** When the host is killed. */
export type Moment =
  /** So many milliseconds after each prompt. */
  | { readonly kind: "exact" }
  /** When the host has saved prompts that ask for no reply: no call has had them. */
  | { readonly kind: "saved" }
  /** When so many of the prompts were admitted: a busy machine takes them in more slowly than they come. */
  | { readonly kind: "admitted"; readonly share: number };

/** One prompt to each of many sessions, so many milliseconds apart as their delays are, and one kill. */
export async function killAfter(
  place: Bench,
  delaysMs: readonly number[],
  moment: Moment,
  random: () => number,
): Promise<readonly Shot[]> {
  const jittered = delaysMs.map((delayMs) => ({ delayMs, exactMs: delayMs + random() }));
  const order = jittered.sort((left, right) => right.exactMs - left.exactMs);
  const prepared: { shot: Shot; exactMs: number }[] = [];
  for (const { delayMs, exactMs } of order) {
    prepared.push({ shot: await prepare(place, delayMs), exactMs });
  }
  const endMs = performance.now() + (order[0]?.exactMs ?? 0) + 5;
  const sent: Promise<unknown>[] = [];
  for (const { shot, exactMs } of prepared) {
    await waitUntil(endMs - exactMs);
    sent.push(fire(place, shot, moment.kind === "saved" ? "none" : "reply"));
  }
  await waitUntil(endMs);
  if (moment.kind === "saved") await Promise.all(sent);
  if (moment.kind === "admitted") {
    const ids = new Set(prepared.map(({ shot }) => shot.messageId));
    const wanted = Math.max(1, Math.floor(moment.share * ids.size));
    await waitForAdmitted(place, ids, wanted);
  }
  await place.host.kill9();
  await Promise.all(sent);
  return prepared.map(({ shot }) => shot);
}

async function waitForAdmitted(
  { host }: Bench,
  ids: ReadonlySet<string>,
  wanted: number,
): Promise<void> {
  const database = new Database(host.home.database, { readonly: true });
  const query = database.query<{ id: string }, []>("SELECT id FROM session_input");
  while (query.all().filter(({ id }) => ids.has(id)).length < wanted) await Bun.sleep(1);
  database.close();
}

/** Timers are exact to a millisecond or two: the last one is spent looking at the clock. */
async function waitUntil(atMs: number): Promise<void> {
  const leftMs = atMs - performance.now();
  if (leftMs > 2) await Bun.sleep(leftMs - 2);
  while (performance.now() < atMs) await new Promise((resolve) => setImmediate(resolve));
}

/** How many parts of a message the host has saved; null where it has no row of it. */
function savedParts({ host }: Bench, messageId: string): number | null {
  const database = new Database(join(host.home.data, "opencode/opencode.db"));
  try {
    const row = database.query("SELECT 1 FROM message WHERE id = ?").get(messageId);
    const parts = database
      .query<{ count: number }, [string]>("SELECT count(*) AS count FROM part WHERE message_id = ?")
      .get(messageId);
    return row ? (parts?.count ?? 0) : null;
  } finally {
    database.close();
  }
}

/** What the plugin has stored of the prompt: how many parts it has. */
function storedParts({ host }: Bench, messageId: string): number {
  const database = new Database(host.home.database, { readonly: true });
  try {
    const query =
      "SELECT json_array_length(prompt, '$.parts') AS count FROM session_input WHERE id = ?";
    return database.query<{ count: number | null }, [string]>(query).get(messageId)?.count ?? 0;
  } finally {
    database.close();
  }
}

/** Takes parts of a saved message away, as if the host had been killed before it saved them. */
export function tear({ host }: Bench, messageId: string, keptParts: number): void {
  const database = new Database(join(host.home.data, "opencode/opencode.db"));
  const where = "SELECT id FROM part WHERE message_id = ? ORDER BY id LIMIT -1 OFFSET ?";
  database.query(`DELETE FROM part WHERE id IN (${where})`).run(messageId, keptParts);
  database.close();
}

export function count(place: Bench, shot: Shot, tally: Tally): "admitted" | "unknown" {
  tally.prompts += 1;
  if (!inputs(place, shot.id).some(({ id }) => id === shot.messageId)) return "unknown";
  tally.admitted += 1;
  const saved = savedParts(place, shot.messageId);
  if (saved === null) tally.absent += 1;
  else if (saved < storedParts(place, shot.messageId)) tally.torn += 1;
  else tally.whole += 1;
  return "admitted";
}

export function setRecovery({ host }: Bench, afterwards: Afterwards): void {
  const recovery = afterwards === "auto" ? "auto" : "off";
  writeFiles(host.project, { "session-runtime.jsonc": JSON.stringify({ recovery }) });
}

/** Goes on after the kill as a user would, until nothing is left to do. */
export async function goOn(place: Bench, shot: Shot, afterwards: Afterwards): Promise<void> {
  const { client } = place.host;
  if (afterwards === "next") {
    await client.promptAsync(shot.id, nextText(shot));
    await client.waitIdle(shot.id);
    await eventually("the next prompt is answered", () =>
      inputs(place, shot.id).some(({ id, state }) => id !== shot.messageId && state === "answered"),
    );
  }
  if (afterwards === "auto") await client.messages(shot.id);
  else if (isOpen(place, shot)) await run(client, shot.id, "ctx-resume");
  await eventually(`all of ${shot.text} is answered`, () => !isOpen(place, shot));
}

function isOpen(place: Bench, { id }: Shot): boolean {
  const over = ["answered", "swallowed"];
  return inputs(place, id).some(({ state }) => !over.includes(state));
}

const nextText = ({ text }: Shot) => `The next one after: ${text}`;

/** An admitted prompt is in the history whole and once, and the newest call has it. */
export async function expectOnce(place: Bench, shot: Shot, afterwards: Afterwards): Promise<void> {
  await place.host.client.waitIdle(shot.id);
  const messages = await place.host.client.messages(shot.id);
  const whole = messages.filter(({ parts }) => isPromptOf(shot, parts));
  expect([shot.text, whole.length]).toEqual([shot.text, 1]);
  const calls = sentTexts(place, shot.id);
  const newest = calls.at(-1) ?? [];
  expect(newest.join("\n").split(shot.text).length - 1).toBeGreaterThanOrEqual(1);
  if (afterwards !== "next") return;
  const next = messages.filter(({ parts }) => textsOf(parts).includes(nextText(shot)));
  expect(next).toHaveLength(1);
}

function isPromptOf({ text, withFile }: Shot, parts: readonly Part[]): boolean {
  return textsOf(parts).includes(text) && (!withFile || parts.some(({ type }) => type === "file"));
}

function textsOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** One kill and everything after it. */
export async function killAndCheck(
  place: Bench,
  delaysMs: readonly number[],
  moment: Moment,
  afterwards: Afterwards,
  random: () => number,
  tally: Tally,
): Promise<void> {
  setRecovery(place, afterwards);
  const fired = await killAfter(place, delaysMs, moment, random);
  tally.kills += 1;
  expectSound(place);
  const admitted = fired.filter((shot) => count(place, shot, tally) === "admitted");
  await place.host.start({});
  await Promise.all(admitted.map((shot) => goOn(place, shot, afterwards)));
  for (const shot of admitted) await expectOnce(place, shot, afterwards);
  expectSound(place);
}

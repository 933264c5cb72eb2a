// Prompts that the real host is killed after, and the moment at which it is killed.
import { join } from "node:path";
import { HostError } from "../src/client/client.ts";
import type { Bench } from "../src/open.ts";
import { openReader } from "./inbox-stage.ts";

/** What happens when the host is there again. */
export type AfterKill = "next" | "resume" | "auto";

/** The setting; where it is off, every other session gets its next prompt, or `/ctx-resume`. */
export type Recovery = "off" | "auto";

/** A prompt that the host was killed after, by milliseconds. */
export interface Shot {
  readonly id: string;
  readonly messageId: string;
  readonly delayMs: number;
  readonly text: string;
  /** With a file, the host saves several parts. */
  readonly withFile: boolean;
  readonly afterwards: AfterKill;
}

/** When the host is killed. */
export type Moment =
  /** When the host has saved prompts that ask for no reply: no call has had them. */
  | { readonly kind: "saved" }
  /** When so many of the prompts were admitted: a busy machine takes them in more slowly than they come. */
  | { readonly kind: "admitted"; readonly share: number }
  /** So long after the newest prompt was first seen in our database, or in the host's. */
  | { readonly kind: "seen"; readonly by: "us" | "host"; readonly afterMs: number };

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let shots = 0;

async function prepare({ host }: Bench, delayMs: number, recovery: Recovery): Promise<Shot> {
  const { id } = await host.client.createSession();
  shots += 1;
  const stamp = (BigInt(Date.now()) * 4096n + BigInt(shots % 4096)).toString(16).slice(-12);
  const messageId = `msg_${stamp}${String(shots).padStart(14, "0")}`;
  const text = `Prompt ${shots}, ${delayMs} ms before the kill.`;
  const afterwards = recovery === "auto" ? "auto" : shots % 2 === 0 ? "next" : "resume";
  return { id, messageId, delayMs, text, withFile: shots % 3 === 0, afterwards };
}

/** `none`: it is saved, and no call has it before the host is killed. */
type ShotRequest = "reply" | "none";

function fire({ host }: Bench, shot: Shot, asked: ShotRequest): Promise<unknown> {
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

export interface Volley {
  /** One for each session. */
  readonly delaysMs: readonly number[];
  readonly moment: Moment;
  readonly recovery: Recovery;
}

/** One prompt to each of many sessions, so many milliseconds apart as their delays are, and one kill. */
export async function killAfter(
  place: Bench,
  { delaysMs, moment, recovery }: Volley,
  random: () => number,
): Promise<readonly Shot[]> {
  const jittered = delaysMs.map((delayMs) => ({ delayMs, exactMs: delayMs + random() }));
  const order = jittered.sort((left, right) => right.exactMs - left.exactMs);
  const prepared: { shot: Shot; exactMs: number }[] = [];
  for (const { delayMs, exactMs } of order) {
    prepared.push({ shot: await prepare(place, delayMs, recovery), exactMs });
  }
  const endMs = performance.now() + (order[0]?.exactMs ?? 0) + 5;
  const sent: Promise<unknown>[] = [];
  for (const { shot, exactMs } of prepared) {
    await waitUntil(endMs - exactMs);
    sent.push(fire(place, shot, moment.kind === "saved" ? "none" : "reply"));
  }
  const fired = prepared.map(({ shot }) => shot);
  await waitFor(place, moment, fired, sent);
  await place.host.kill9();
  await Promise.all(sent);
  return fired;
}

async function waitFor(
  { host }: Bench,
  moment: Moment,
  fired: readonly Shot[],
  sent: readonly Promise<unknown>[],
): Promise<void> {
  const ours = { path: host.home.database, table: "session_input" };
  switch (moment.kind) {
    case "saved":
      await Promise.all(sent);
      return;
    case "admitted":
      await seen(ours, fired, Math.max(1, Math.floor(moment.share * fired.length)));
      return;
    case "seen": {
      const hosts = { path: hostDatabase(host.home.data), table: "message" };
      await seen(moment.by === "us" ? ours : hosts, fired.slice(-1), 1);
      await waitUntil(performance.now() + moment.afterMs);
      return;
    }
  }
}

export const hostDatabase = (dataFolder: string) => join(dataFolder, "opencode/opencode.db");

interface Rows {
  readonly path: string;
  readonly table: string;
}

/** Until so many of the prompts have a row: looks several times a millisecond. */
async function seen({ path, table }: Rows, fired: readonly Shot[], wanted: number): Promise<void> {
  const database = openReader(path);
  const ids = JSON.stringify(fired.map(({ messageId }) => messageId));
  const query = database.query<{ count: number }, [string]>(
    `SELECT count(*) AS count FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`,
  );
  const endMs = performance.now() + 60_000;
  while ((query.get(ids)?.count ?? 0) < wanted) {
    if (performance.now() > endMs) throw new Error(`${table} never held ${wanted} of the prompts`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  database.close();
}

/** Timers are exact to a millisecond or two: the last one is spent looking at the clock. */
async function waitUntil(atMs: number): Promise<void> {
  const leftMs = atMs - performance.now();
  if (leftMs > 2) await Bun.sleep(leftMs - 2);
  while (performance.now() < atMs) await new Promise((resolve) => setImmediate(resolve));
}

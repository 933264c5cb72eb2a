// What must be true of a prompt after the real host was killed: it is there once, whole, and answered.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import type { Part } from "@opencode-ai/sdk/v2";
import { eventually } from "../../plugin/test/eventually.ts";
import { writeFiles } from "../src/host/home.ts";
import type { Bench } from "../src/open.ts";
import { hostDatabase, killAfter, type Recovery, type Shot, type Volley } from "./inbox-shots.ts";
import { expectSound, inputs, openReader, run, sentTexts } from "./inbox-stage.ts";

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

/** How many parts of a message the host has saved; null where it has no row of it. */
function savedParts({ host }: Bench, messageId: string): number | null {
  const database = openReader(hostDatabase(host.home.data));
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
  const database = openReader(host.home.database);
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
  const database = new Database(hostDatabase(host.home.data));
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

export function setRecovery({ host }: Bench, recovery: Recovery): void {
  const folder = join(host.home.config, "opencode");
  writeFiles(folder, { "session-runtime.jsonc": JSON.stringify({ recovery }) });
}

/** Goes on after the kill as a user would, until nothing is left to do. */
async function goOn(place: Bench, shot: Shot): Promise<void> {
  const { client } = place.host;
  if (shot.afterwards === "next") {
    await client.promptAsync(shot.id, nextText(shot));
    await client.waitIdle(shot.id);
    await eventually("the next prompt is answered", () =>
      inputs(place, shot.id).some(({ id, state }) => id !== shot.messageId && state === "answered"),
    );
  }
  if (shot.afterwards === "auto") await client.messages(shot.id);
  else if (openStates(place, shot).length > 0) await run(client, shot.id, "ctx-resume");
  await eventually(
    () => `all of ${shot.text} is answered: ${openStates(place, shot).join(", ")}`,
    () => openStates(place, shot).length === 0,
  );
}

function openStates(place: Bench, { id }: Shot): readonly string[] {
  const states = inputs(place, id).map(({ state }) => state);
  return states.filter((state) => state !== "answered" && state !== "swallowed");
}

const nextText = ({ text }: Shot) => `The next one after: ${text}`;

/** An admitted prompt is in the history whole and once, and the newest call has it. */
async function expectOnce(place: Bench, shot: Shot): Promise<void> {
  await place.host.client.waitIdle(shot.id);
  const messages = await place.host.client.messages(shot.id);
  const whole = messages.filter(({ parts }) => matchesShot(shot, parts));
  expect([shot.text, whole.length]).toEqual([shot.text, 1]);
  const calls = sentTexts(place, shot.id);
  const newest = calls.at(-1) ?? [];
  expect(newest.join("\n").split(shot.text).length - 1).toBeGreaterThanOrEqual(1);
  if (shot.afterwards !== "next") return;
  const next = messages.filter(({ parts }) => listTexts(parts).includes(nextText(shot)));
  expect(next).toHaveLength(1);
}

function matchesShot({ text, withFile }: Shot, parts: readonly Part[]): boolean {
  return (
    listTexts(parts).includes(text) && (!withFile || parts.some(({ type }) => type === "file"))
  );
}

function listTexts(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** The host is there again: every one of these prompts is answered, once. */
export async function goOnAndCheck(place: Bench, admitted: readonly Shot[]): Promise<void> {
  await place.host.start({});
  await Promise.all(admitted.map((shot) => goOn(place, shot)));
  await Promise.all(admitted.map((shot) => expectOnce(place, shot)));
  expectSound(place);
}

/** One kill and everything after it. */
export async function killAndCheck(
  place: Bench,
  volley: Volley,
  random: () => number,
  tally: Tally,
): Promise<void> {
  const fired = await killAfter(place, volley, random);
  tally.kills += 1;
  expectSound(place);
  const admitted = fired.filter((shot) => count(place, shot, tally) === "admitted");
  await goOnAndCheck(place, admitted);
}

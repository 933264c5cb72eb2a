import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { EventStream } from "../../src/client/events.ts";
import type { JsonObject } from "../../src/json.ts";
import { call, say } from "../../src/provider/reply.ts";
import { readNotices } from "./notices.ts";
import { stage } from "./own-plugins.ts";
import { OURS, type Talk } from "./stage.ts";

/** A project whose plugin keeps database and log in places of their own. */
export interface Place {
  readonly folder: string;
  readonly database: string;
  readonly log: string;
}

/** A session whose storage has a fault, and what its user is told. */
export interface FaultyHost {
  readonly talk: Talk;
  readonly toasts: () => readonly string[];
  readonly notices: () => readonly JsonObject[];
  close(): void;
}

export function createPlace(name: string): Place {
  const root = join(stage.host.home.root, "storage", name);
  const database = join(root, "data", "runtime.db");
  const log = join(root, "log", "runtime.log");
  mkdirSync(root, { recursive: true });
  const plugin = [[OURS, { storage: { path: database }, log: { path: log } }]];
  const folder = addTestProject(name, { "opencode.json": JSON.stringify({ plugin }) });
  return { folder, database, log };
}

export function addTestProject(name: string, files: Readonly<Record<string, string>>): string {
  const base = { "AGENTS.md": "Answer in short sentences.\n", "notes.txt": "A first note.\n" };
  return stage.host.addProject(name, { ...base, ...files });
}

/** Listens to what the user of a session is told, be it of whichever host. */
export async function listenTo(talk: Talk, { log }: Place): Promise<FaultyHost> {
  const stream = await talk.client.events();
  return {
    talk,
    toasts: () => listToasts(stream),
    notices: () => readNotices(log),
    close: stream.close,
  };
}

function listToasts({ seen }: EventStream): readonly string[] {
  return seen.flatMap(({ type, properties }) =>
    type === "tui.toast.show" ? [String(properties.message)] : [],
  );
}

/** Turns with a tool and an edit; each must be answered. */
export async function work(talk: Talk): Promise<void> {
  const read = call("read", { filePath: join(talk.client.folder, "notes.txt") });
  stage.provider.script.queueFor(talk.id, read, say("A note."));
  await answered(talk, "Read the notes");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await answered(talk, "Two");
  await answered(talk, "Three");
}

export async function answered(talk: Talk, text: string): Promise<void> {
  const { info } = await talk.say(text);
  expect(info).toMatchObject({ role: "assistant", finish: "stop" });
  expect("error" in info && info.error).toBeFalsy();
}

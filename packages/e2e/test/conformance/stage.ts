import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  isWrapped,
  splitUpdatesAtEnd,
  unwrapUpdate,
} from "@session-runtime/opencode/context/frames";
import type { Client, MessageWithParts, PromptSettings } from "../../src/client/client.ts";
import { NOON } from "../../src/host/clock.ts";
import { writeFiles } from "../../src/host/home.ts";
import type { Host, HostSettings } from "../../src/host/host.ts";
import { isObject, type Json } from "../../src/json.ts";
import { type Bench, openBench } from "../../src/open.ts";
import { type CallRecord, rejections } from "../../src/provider/record.ts";
import type { MockProvider } from "../../src/provider/server.ts";
import { prefixBreaks } from "../../src/wire.ts";

/** The plugin under test, as a user would name it by path. */
export const OURS = join(import.meta.dir, "../../../plugin");

export const AGENTS_MD = "Answer in short sentences.\n";

const FILES = { "AGENTS.md": AGENTS_MD, "notes.txt": "A first note.\n" };

const TIMEOUT_MS = 600_000;

/** The file's one host with the plugin, and the provider; each test begins with the same project. */
export interface Stage {
  readonly host: Host;
  readonly provider: MockProvider;
  /** A new session; in the first project unless a client of another is given. */
  talk(client?: Client): Promise<Talk>;
  /** Attaches to a session that is there already. */
  join(id: string, client?: Client): Talk;
}

/** Options for a machine that is taken by others: there a source is late and not unavailable, and warned of by none. */
export const PATIENT = { observation: { timeoutMs: 20_000 } } as const;

/** The calls so far without those for titles, which come beside a turn and may come late. */
export function countCallsBesideTitles({ calls }: Pick<MockProvider, "calls">): number {
  return calls.filter(({ kind }) => kind !== "title").length;
}

/** A session as its user sees it, and as the provider does. */
export interface Talk {
  readonly id: string;
  readonly client: Client;
  say(text: string, settings?: PromptSettings): Promise<MessageWithParts>;
  /** Calls of the session's own loop so far. */
  main(): readonly CallRecord[];
  /** The newest of them. */
  last(): CallRecord;
  edit(files: Readonly<Record<string, string>>): void;
  remove(path: string): void;
  /** Takes back the last prompt and what followed it. */
  undo(): Promise<void>;
}

/** Registers the hooks that open and close a host for the calling test file. */
export function useStage(settings: Partial<Omit<HostSettings, "providerUrl">>): Stage {
  setDefaultTimeout(TIMEOUT_MS);
  let opened: Bench | undefined;
  const bench = () => {
    if (!opened) throw new Error("The stage opens before the first test");
    return opened;
  };
  beforeAll(async () => {
    opened = await openBench({ plugin: [OURS], files: FILES, ...settings });
  });
  afterAll(() => opened?.close());
  beforeEach(async () => {
    await bench().host.renew();
    bench().provider.script.reset();
    writeFiles(bench().host.project, FILES);
  });
  // I19 holds for every request of every test.
  afterEach(() => expect(rejections(bench().provider.requests)).toEqual([]));
  const attach = (id: string, client: Client = bench().host.client) =>
    makeTalk(bench(), client, id);
  return {
    get host() {
      return bench().host;
    },
    get provider() {
      return bench().provider;
    },
    talk: async (client = bench().host.client) => attach((await client.createSession()).id, client),
    join: attach,
  };
}

export function makeTalk({ provider }: Bench, client: Client, id: string): Talk {
  const main = () => provider.listCalls(id, "main");
  return {
    id,
    client,
    main,
    say: (text, settings) => client.prompt(id, text, settings),
    last: () => one(main().at(-1)),
    edit: (files) => writeFiles(client.folder, files),
    remove: (path) => rmSync(join(client.folder, path), { recursive: true, force: true }),
    async undo() {
      const messages = await client.messages(id);
      const prompt = messages.findLast(({ info }) => info.role === "user");
      await client.revert(id, one(prompt).info.id);
    },
  };
}

export function one<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("There is none");
  return value;
}

/** I1 over a run of calls. */
export function expectSteady(calls: readonly CallRecord[]): void {
  expect(prefixBreaks(calls)).toEqual([]);
}

/** A text of a call's history, with the place where it stands. */
export interface SentTexts {
  readonly role: string;
  readonly text: string;
  /** Index among the call's blocks. */
  readonly index: number;
}

/** The texts of the history, tool results included. */
export function history({ blocks }: CallRecord): readonly SentTexts[] {
  return blocks.flatMap(({ layer, role, bytes }, index) =>
    layer === "messages" ? listBlockTexts(bytes).map((text) => ({ role, text, index })) : [],
  );
}

/** A block is one text, or (in OpenAI's formats) a message of several. */
function listBlockTexts(bytes: string): readonly string[] {
  const block: Record<string, unknown> = JSON.parse(bytes);
  const gemini = block.functionResponse as Json | undefined;
  const response = isObject(gemini) ? gemini.response : undefined;
  const told = isObject(response) ? (response.output ?? response.content) : undefined;
  const inner = block.text ?? block.content ?? block.output ?? block.input ?? told ?? bytes;
  if (Array.isArray(inner)) return inner.map((part) => String(part.text ?? JSON.stringify(part)));
  return [typeof inner === "string" ? inner : JSON.stringify(inner)];
}

/** The Mid-Conversation System Messages of a call, without their wrapping. */
export function updates(call: CallRecord): readonly string[] {
  return history(call).flatMap(({ text }) => {
    const all = isWrapped(text) ? [text] : splitUpdatesAtEnd(text).updates;
    return all.map(unwrapUpdate);
  });
}

/** The call's system texts from the environment block on: what is frozen, and what is live behind it. */
export function baseline({ system }: CallRecord): string {
  return system.slice(system.indexOf("You are powered by the model named"));
}

/** How often a text stands in a call, wherever. */
export function count({ blocks }: CallRecord, text: string): number {
  const needle = JSON.stringify(text).slice(1, -1);
  return blocks.reduce((sum, { bytes }) => sum + bytes.split(needle).length - 1, 0);
}

/** Tokens that the provider read from its cache, and all that were sent. */
export function cached({ outcome }: CallRecord): { readonly read: number; readonly all: number } {
  if (outcome.type !== "answered") throw new Error(`not answered: ${outcome.type}`);
  const { inputTokens, writeTokens, readTokens } = outcome.usage;
  return { read: readTokens, all: inputTokens + writeTokens + readTokens };
}

export const DAY_MS = 86_400_000;

/** The day as the host prints it, in the zone that it has here. */
export function dayAfter(days: number): string {
  const utc = new Date(Date.now() + NOON.offsetMs + days * DAY_MS).toUTCString();
  const [weekday, day, month, year] = utc.replace(",", "").split(" ");
  return `${weekday} ${month} ${day} ${year}`;
}

import { afterEach, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, HostError, type MessageWithParts } from "../src/client/client.ts";
import type { HostSettings } from "../src/host/host.ts";
import { type Bench, openBench } from "../src/open.ts";

export const PLUGIN = join(import.meta.dir, "../../plugin/src/index.ts");

/** Hosts and folders of one test file; all gone after each test. */
export class Stage {
  readonly #benches: Bench[] = [];
  readonly #folders: string[] = [];

  constructor() {
    afterEach(async () => {
      for (const bench of this.#benches.splice(0)) await bench.close();
      for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true });
    });
  }

  /** The host with this plugin, or as `settings` say. */
  async open(settings: Partial<Omit<HostSettings, "providerUrl">> = {}): Promise<Bench> {
    const bench = await openBench({ plugin: [PLUGIN], ...settings });
    this.#benches.push(bench);
    return bench;
  }

  scratch(): string {
    const folder = mkdtempSync(join(tmpdir(), "session-runtime-plugins-"));
    this.#folders.push(folder);
    return folder;
  }
}

/** Runs the command; the host has no way to end one but an error. */
export function ctxStatus(client: Client, id: string): Promise<HostError> {
  return answered(client, id, "ctx-status");
}

/** A command of ours ends in an error of the host's: it knows no other way to keep the model out. */
export async function answered(client: Client, id: string, name: string): Promise<HostError> {
  try {
    await client.command(id, name, "");
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
  throw new Error("the command went on to the model");
}

export function errorMessage(error: HostError): string {
  return JSON.parse(error.body).data.message;
}

interface Report {
  readonly info: MessageWithParts["info"];
  readonly text: string;
}

export function reports(messages: readonly MessageWithParts[]): readonly Report[] {
  return messages.flatMap(({ info, parts }) =>
    parts.flatMap((part) => {
      const isReport = part.type === "text" && part.text.startsWith("Session Runtime: ");
      if (!isReport) return [];
      expect(part.ignored).toBe(true);
      expect(parts).toHaveLength(1);
      return [{ info, text: part.text }];
    }),
  );
}

// The host of a scenario with its sessions, and what each step does there.
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import type { Client } from "../client/client.ts";
import { TIMEZONES } from "../host/clock.ts";
import { type Files, writeFiles } from "../host/home.ts";
import type { Host } from "../host/host.ts";
import { MODELS } from "../host/models.ts";
import { call, fail, say } from "../provider/reply.ts";
import type { MockProvider } from "../provider/server.ts";
import type { ScenarioClock } from "./clock.ts";
import type { Place, Scenario, Step, Turn } from "./step.ts";

/** The host of a scenario, with its sessions as the steps find them. */
export interface Stage {
  /** The first session. */
  readonly session: string;
  /**
   * Indexes of the calls that came first after an undo, a compaction or a move, or where a prompt's
   * own `system` came or went. What else is rewritten the ideal sees by itself.
   */
  readonly rewrites: ReadonlySet<number>;
  play(step: Step): Promise<void>;
}

export interface Theatre {
  readonly host: Host;
  readonly provider: MockProvider;
  readonly clock: ScenarioClock;
  readonly files: Files;
}

interface Actor {
  readonly client: Client;
  readonly id: string;
}

const OVERLOADED = 529;

const MCP_SERVER = "tests";

/** The variables that a scenario's host starts with: one with a midnight has to have a day before it. */
export function firstDay({ steps }: Scenario): Readonly<Record<string, string>> {
  return steps.some(({ type }) => type === "midnight") ? { TZ: TIMEZONES.early } : {};
}

export async function openStage({ host, provider, clock, files }: Theatre): Promise<Stage> {
  const first = (await host.client.createSession()).id;
  const actors = new Map<Place, Actor>([["first", { client: host.client, id: first }]]);
  const rewrites = new Set<number>();
  const systems = new Map<string, string | null>();
  let rewriting = false;
  let overloaded = false;
  let today: Readonly<Record<string, string>> = {};

  async function actor(place: Place): Promise<Actor> {
    const known = actors.get(place);
    if (known) return known;
    if (place === "fork") throw new Error("The scenario has no fork before this step");
    const client = host.createClient(host.addProject(place, files));
    const opened = { client, id: (await client.createSession()).id };
    actors.set(place, opened);
    return opened;
  }

  async function turn({ place, agent, model, system, text, file, answer }: Turn) {
    const { client, id } = await actor(place);
    const before = provider.listCalls(id, "main").length;
    const refused = overloaded ? [fail(OVERLOADED)] : [];
    overloaded = false;
    const read = call("read", { filePath: join(client.folder, file) });
    provider.script.queueFor(id, ...refused, read, say(answer));
    const own = system === null ? {} : { system };
    await client.prompt(id, text, { agent, model: MODELS[model], ...own });
    const next = provider
      .listCalls(id, "main")
      .slice(before)
      .find(({ outcome }) => outcome.type === "answered");
    const otherSystem = system !== (systems.get(id) ?? null);
    systems.set(id, system);
    if (next && (otherSystem || (rewriting && id === first))) rewrites.add(next.index);
    if (id === first) rewriting = false;
  }

  async function move(folder: string) {
    const directory = join(host.project, folder);
    await host.client.request("POST", "/experimental/control-plane/move-session", {
      sessionID: first,
      destination: { directory },
    });
    actors.set("first", { client: host.createClient(directory), id: first });
    rewriting = true;
  }

  function setTools(server: "comes" | "goes"): Promise<unknown> {
    if (server === "goes") return host.client.request("POST", `/mcp/${MCP_SERVER}/disconnect`);
    const script = join(import.meta.dir, "../../fixtures/mcp-server.js");
    const command = [hostBinary(), script];
    const config = { type: "local", command, environment: { BUN_BE_BUN: "1" } };
    return host.client.request("POST", "/mcp", { name: MCP_SERVER, config });
  }

  async function play(step: Step): Promise<void> {
    switch (step.type) {
      case "turn":
        return turn(step);
      case "edit": {
        const { place } = step;
        const folder = place === "home" ? host.home.root : (await actor(place)).client.folder;
        return writeFiles(folder, step.files);
      }
      case "restart":
        return host.restart(today);
      case "midnight":
        today = { TZ: TIMEZONES.late };
        return host.restart(today);
      case "reopen":
        await host.client.request("POST", "/instance/dispose");
        return;
      case "overload":
        overloaded = true;
        return;
      case "undo": {
        const messages = await host.client.messages(first);
        const last = messages.findLast(({ info }) => info.role === "user");
        if (last) await host.client.revert(first, last.info.id);
        rewriting = true;
        return;
      }
      case "compact":
        await host.client.summarize(first, MODELS.anthropic);
        rewriting = true;
        return;
      case "fork": {
        const { client, id } = await actor("first");
        actors.set("fork", { client, id: (await client.fork(id)).id });
        return;
      }
      case "move":
        return move(step.folder);
      case "tools":
        await setTools(step.server);
        return;
      case "idle":
        return clock.pass(step.minutes);
    }
  }

  return { session: first, rewrites, play };
}

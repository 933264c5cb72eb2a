import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ModelIdentity } from "../../src/session/session-sources.ts";
import type { ObservedKind } from "../../src/sources/observed.ts";
import type { Location } from "../../src/storage/records.ts";

/** The instruction files of the world: two Locations, each with nested ones below its directory. */
export const places = ["global", "project", "app", "sub", "deep", "other", "otherSub"] as const;
export type Place = (typeof places)[number];

/** What stands at a place: the version of its text (0: an empty file), nothing, or what can't be read. */
export type FileState = number | "missing" | "unreadable";
export type Agent = "build" | "plan";
export type LocationName = "app" | "other";
export type ModelName = "opus" | "gpt";

export type Change =
  | { readonly of: "file"; readonly place: Place; readonly state: FileState }
  /** null: no such block; 0: an empty one, where the host has a text for that. */
  | { readonly of: ObservedKind; readonly version: number | null }
  | { readonly of: "catalogue"; readonly state: "up" | "down" };

export const models: Readonly<Record<ModelName, ModelIdentity>> = {
  opus: {
    providerId: "anthropic",
    modelId: "opus",
    apiId: "claude-opus-5",
    npm: "@ai-sdk/anthropic",
  },
  gpt: { providerId: "openai", modelId: "gpt", apiId: "gpt-6", npm: "@ai-sdk/openai" },
};

const ambient: Readonly<Record<LocationName, readonly Place[]>> = {
  app: ["global", "app", "project"],
  other: ["global", "other"],
};

/** Nested files by how far below the directory a read goes, nearest to the file first. */
const nested: Readonly<Record<LocationName, Readonly<Record<"sub" | "deep", readonly Place[]>>>> = {
  app: { sub: ["sub"], deep: ["deep", "sub"] },
  other: { sub: ["otherSub"], deep: ["otherSub"] },
};

export const START_MS = Date.UTC(2026, 10, 21, 12);

/** What the world says at one moment, as a model should believe it. */
export interface Truth {
  readonly directory: string;
  readonly catalogue: "up" | "down";
  readonly date: string;
  readonly model: string;
  /** By path; empty files are left out. Null where one of them can't be read. */
  readonly ambient: ReadonlyMap<string, string> | null;
  /** By path: the content, "" where there is none, null where it can't be read. */
  readonly nested: ReadonlyMap<string, string | null>;
  readonly observed: Readonly<Record<ObservedKind, string | null>>;
  /** Whether an instruction file is there with nothing in it: the host does not show it. */
  readonly hasEmptyFile: boolean;
}

export class World {
  readonly root = realpathSync(mkdtempSync(join(fastFolder(), "session-runtime-model-")));
  nowMs = START_MS;
  catalogue: "up" | "down" = "up";
  /** Whether the next call would not fit. */
  isFull = false;
  /** Whether a rewrite is worth a warm cache. */
  isWorth = false;
  readonly #files = new Map<Place, FileState>();
  #observed: Record<ObservedKind, number | null> = { references: null, mcp: null, skills: null };

  constructor() {
    mkdirSync(this.home, { recursive: true });
    for (const place of places) mkdirSync(dirname(this.path(place)), { recursive: true });
    this.reset();
  }

  get home(): string {
    return join(this.root, "home");
  }

  location(name: LocationName): Location {
    if (name === "app") {
      return { directory: join(this.root, "project/app"), worktree: join(this.root, "project") };
    }
    return { directory: join(this.root, "other"), worktree: join(this.root, "other") };
  }

  path(place: Place): string {
    const folders: Readonly<Record<Place, string>> = {
      global: "home/config",
      project: "project",
      app: "project/app",
      sub: "project/app/sub",
      deep: "project/app/sub/deep",
      other: "other",
      otherSub: "other/sub",
    };
    return join(this.root, folders[place], "AGENTS.md");
  }

  /** The world as every schedule finds it. */
  reset(): void {
    this.nowMs = START_MS;
    this.catalogue = "up";
    this.isFull = false;
    this.isWorth = false;
    this.#observed = { references: null, mcp: null, skills: 1 };
    for (const place of places) this.#write(place, place === "project" ? "missing" : 1);
  }

  apply(change: Change): void {
    switch (change.of) {
      case "file":
        this.#write(change.place, change.state);
        return;
      case "catalogue":
        this.catalogue = change.state;
        return;
      default:
        this.#observed = { ...this.#observed, [change.of]: change.version };
    }
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  truth(location: LocationName, agent: Agent, model: ModelName): Truth {
    const own = ambient[location];
    const readable = own.every((place) => this.#files.get(place) !== "unreadable");
    return {
      directory: this.location(location).directory,
      catalogue: this.catalogue,
      date: new Date(this.nowMs).toDateString(),
      model: models[model].apiId,
      ambient: readable ? new Map(this.#shown(own)) : null,
      nested: new Map(
        nested[location].deep.map((place) => {
          const isReadable = this.#files.get(place) !== "unreadable";
          return [this.path(place), isReadable ? (this.#content(place) ?? "") : null];
        }),
      ),
      observed: this.#blocks(agent),
      hasEmptyFile: places.some((place) => this.#files.get(place) === 0),
    };
  }

  /** The host's system string: the agent's prompt, then the context as it is at this moment. */
  systemString(call: {
    readonly location: LocationName;
    readonly agent: Agent;
    readonly model: ModelName;
    readonly own: string | null;
  }): string {
    const { references, mcp, skills } = this.#blocks(call.agent);
    const instructions = this.#shown(ambient[call.location]).map(
      ([path, content]) => `Instructions from: ${path}\n${content}`,
    );
    const blocks = [`You are the ${call.agent} agent.`, this.#environment(call), references];
    return [...blocks, ...instructions, mcp, skills, call.own]
      .filter((block) => block !== null)
      .join("\n");
  }

  /** What the read tool appends for a file below the directory, less what is loaded already. */
  nestedFor(
    location: LocationName,
    depth: "sub" | "deep",
    loaded: ReadonlySet<string>,
  ): readonly (readonly [path: string, content: string])[] {
    return this.#shown(nested[location][depth]).filter(([path]) => !loaded.has(path));
  }

  #shown(of: readonly Place[]): readonly (readonly [path: string, content: string])[] {
    return of.flatMap((place) => {
      const content = this.#content(place);
      return content ? [[this.path(place), content] as const] : [];
    });
  }

  #content(place: Place): string | null {
    const state = this.#files.get(place);
    if (typeof state !== "number") return null;
    return state === 0 ? "" : `Rule ${state} of ${place}.`;
  }

  #environment(call: { readonly location: LocationName; readonly model: ModelName }): string {
    const { apiId, providerId } = models[call.model];
    const { directory, worktree } = this.location(call.location);
    return [
      `You are powered by the model named ${apiId}. The exact model ID is ${providerId}/${apiId}`,
      "Here is some useful information about the environment you are running in:",
      "<env>",
      `  Working directory: ${directory}`,
      `  Workspace root folder: ${worktree}`,
      "  Is directory a git repo: yes",
      "  Platform: linux",
      `  Today's date: ${new Date(this.nowMs).toDateString()}`,
      "</env>",
    ].join("\n");
  }

  #blocks(agent: Agent): Record<ObservedKind, string | null> {
    const { references, mcp, skills } = this.#observed;
    const skillsHead =
      "Skills provide specialized instructions and workflows for specific tasks.\n" +
      "Use the skill tool to load a skill when a task matches its description.\n";
    const skillsBody =
      skills === 0
        ? "No skills are currently available."
        : `<available_skills>\n  <skill>skill ${skills} of ${agent}</skill>\n</available_skills>`;
    return {
      references:
        references === null
          ? null
          : `Project references provide additional directories that can be accessed when relevant.\n<available_references>\n  <reference>reference ${references}</reference>\n</available_references>`,
      mcp: mcp === null ? null : `<mcp_instructions>\n  server ${mcp}\n</mcp_instructions>`,
      skills: skills === null ? null : skillsHead + skillsBody,
    };
  }

  #write(place: Place, state: FileState): void {
    if (this.#files.get(place) === state) return;
    this.#files.set(place, state);
    const path = this.path(place);
    rmSync(path, { force: true });
    // A link to itself can't be read and is not missing, for root too.
    if (state === "unreadable") symlinkSync("AGENTS.md", path);
    else if (state !== "missing") writeFileSync(path, this.#content(place) ?? "");
  }
}

const MEMORY = "/dev/shm";

/** Thousands of databases are made and thrown away: in memory, where there is such a folder. */
function fastFolder(): string {
  // Of `npm test`, which removes what is left of it.
  if (tmpdir().startsWith(MEMORY)) return tmpdir();
  return existsSync(MEMORY) ? MEMORY : tmpdir();
}

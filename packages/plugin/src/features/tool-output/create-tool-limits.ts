// Withholds our tools if a provider takes fewer than a call would offer, and records limits that providers
// state.
import type { ListWithheldTools, OfferedCall } from "../../feature-api/extension-point.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { Notice } from "../../log/notices.ts";
import type { SessionId } from "../../storage/records.ts";
import { createToolLimitStore, type ToolLimitKey } from "./tool-limit-store.ts";

// Reads out of a provider's refusal how many tools it takes in one call.

interface ToolLimitStatement {
  readonly most: number;
  /** The number of tools in the refused call; null if the provider doesn't say. */
  readonly sent: number | null;
}

/** One expression for each known wording, with both counts or the limit alone. No repetition is unbounded. */
const LIMIT_PATTERNS: readonly RegExp[] = [
  // OpenAI, Azure, Copilot: "Invalid 'tools': array too long. Expected an array with maximum length 128,
  // but got an array with length 142 instead."
  /'tools': array too long\. expected an array with maximum length (\d{1,5}), but got an array with length (\d{1,5})/i,
  // Groq: "'tools' : maximum number of items is 128"
  /'tools' {0,2}: maximum number of items is (\d{1,5})/i,
  // Copilot: "You may not include more than 128 tools in your request.", "Cannot have more than 128 tools
  // per request."
  /(?:may not include|cannot have) more than (\d{1,5}) tools/i,
  // Gemini: "At most 512 function declarations can be specified."
  /at most (\d{1,5}) function declarations/i,
];

/** A refusal states its reason first; later text may be the quoted prompt, which can say anything. */
const MAX_REFUSAL_CHARS = 4_000;

/** Returns null if the refusal is not about the number of tools. */
export function parseStatedTools(refusal: string): ToolLimitStatement | null {
  const text = refusal.slice(0, MAX_REFUSAL_CHARS);
  for (const form of LIMIT_PATTERNS) {
    const found = form.exec(text);
    if (!found) continue;
    const most = Number(found[1]);
    return most > 0 ? { most, sent: found[2] === undefined ? null : Number(found[2]) } : null;
  }
  return null;
}

// Decides which of our own tools to withhold if a provider takes fewer tools than a call would offer.

type OfferedTools = Pick<OfferedCall, "providerId" | "own" | "others">;

/** The limit that a refusal has stated. */
interface StatedToolLimit {
  /** The number of tools that the provider takes in one call. */
  readonly most: number;
  /** The number of tools in the refused call that were not ours; null if the provider didn't say. */
  readonly others: number | null;
}

interface ToolExcess {
  readonly most: number;
  readonly names: readonly string[];
}

const DEFAULT_MAX_TOOLS = 128;

/** Providers known to have a limit; others may state theirs in a refusal. */
const LIMITED_PROVIDERS: ReadonlySet<string> = new Set([
  "openai",
  "azure",
  "azure-openai-responses",
  "github-copilot",
  "github-copilot-enterprise",
  "groq",
]);

/** These two find and show what was dropped or folded: they are kept longest, in this order. */
const TOOLS_KEPT_LONGEST: readonly string[] = ["ctx_search", "ctx_expand"];

/**
 * Withholds as many of our tools as exceed the limit; other tools count too, but only the host can leave
 * those out. Returns null if no limit or no count is known.
 */
export function findToolExcess(
  { providerId, own, others }: OfferedTools,
  stated: StatedToolLimit | null,
): ToolExcess | null {
  const most = stated?.most ?? (LIMITED_PROVIDERS.has(providerId) ? DEFAULT_MAX_TOOLS : null);
  if (most === null || (others === null && stated === null)) return null;
  const beside = others ?? stated?.others ?? null;
  if (beside === null) return { most, names: own };
  const over = Math.max(0, own.length + beside - most);
  return { most, names: orderForRemoval(own).slice(0, over) };
}

function orderForRemoval(own: readonly string[]): readonly string[] {
  const kept = TOOLS_KEPT_LONGEST.filter((name) => own.includes(name));
  return [...kept, ...own.filter((name) => !TOOLS_KEPT_LONGEST.includes(name))].reverse();
}

/** All tools are offered again after this time: users may turn servers off unnoticed. */
const LIMIT_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

type LimitContext = Pick<FeatureContext, "database" | "log" | "now" | "location"> & {
  readonly notices: Pick<FeatureContext["notices"], "notice" | "over">;
};

interface ToolLimitsInstance extends Required<Pick<FeatureInstance, "hooks">> {
  readonly provides: { readonly withheldTools: ListWithheldTools };
}

export function createToolLimitsFeature(context: LimitContext): ToolLimitsInstance {
  const { database, log, location } = context;
  const { directory } = location;
  const limits = new StatedLimits(context);
  const shown = new WithheldNotices(context.notices);
  /** Maps each session to its newest call, with the number of our tools that it offered. */
  const newest = new Map<SessionId, { readonly call: OfferedCall; readonly offered: number }>();
  const toLimitKey = ({ agent, providerId, modelId }: OfferedCall) => {
    return { directory, agent, providerId, modelId };
  };
  return {
    provides: {
      withheldTools(call) {
        const aside = findToolExcess(call, limits.findLimit(toLimitKey(call)));
        const names = aside?.names ?? [];
        newest.set(call.sessionId, { call, offered: call.own.length - names.length });
        if (aside) shown.update(call.providerId, aside);
        return names;
      },
    },
    hooks: {
      async onEvent(happening) {
        const { kind, sessionId } = happening;
        if (kind === "deleted") newest.delete(sessionId);
        if (kind !== "refused") return;
        const refused = newest.get(sessionId);
        const [stated] = happening.said.flatMap((text) => parseStatedTools(text) ?? []);
        if (!refused || !stated) return;
        const { call, offered } = refused;
        const { most, sent } = stated;
        const others = sent === null ? null : Math.max(0, sent - offered);
        const model = `${call.providerId}/${call.modelId}`;
        log.info("limits.tools_stated", { model, most, sent });
        await database.ensure();
        limits.put(toLimitKey(call), { most, others });
        const aside = findToolExcess(call, { most, others });
        // The notice is shown at once, as the user has to know before the next call.
        if (aside) shown.update(call.providerId, aside);
      },
      serverGone: async () => {
        await database.ensure();
        limits.forget(directory);
      },
    },
  };
}

/** Caches the stored limits; each is read again only after a write. */
class StatedLimits {
  readonly #known = new Map<
    string,
    { readonly version: number; readonly limit: StatedToolLimit | null }
  >();

  constructor(private readonly deps: Pick<FeatureContext, "database" | "now">) {}

  findLimit(key: ToolLimitKey): StatedToolLimit | null {
    const { seenVersion, store } = this.deps.database.current();
    const version = seenVersion();
    const name = Object.values(key).join("\n");
    const read = this.#known.get(name);
    if (read?.version === version) return read.limit;
    const stored = store(createToolLimitStore).of(key);
    const isOld = stored !== null && stored.statedAtMs < this.deps.now() - LIMIT_LIFETIME_MS;
    const limit = isOld ? null : stored;
    this.#known.set(name, { version, limit });
    return limit;
  }

  put(key: ToolLimitKey, limit: StatedToolLimit): void {
    this.#store().put({ ...key, ...limit, statedAtMs: this.deps.now() });
    this.#known.clear();
  }

  forget(directory: string): void {
    this.#store().forget(directory);
    this.#known.clear();
  }

  #store() {
    return this.deps.database.current().store(createToolLimitStore);
  }
}

/** Holds each provider's notice for as long as some of our tools are withheld from it. */
class WithheldNotices {
  readonly #messages = new Map<string, string>();

  constructor(private readonly notices: LimitContext["notices"]) {}

  update(providerId: string, aside: { readonly most: number; readonly names: readonly string[] }) {
    const notice = createWithheldNotice(providerId, aside);
    const { message } = notice;
    const isAside = aside.names.length > 0;
    const former = this.#messages.get(providerId);
    if (former === (isAside ? message : undefined)) return;
    if (former !== undefined) this.notices.over(buildNoticeCode(providerId));
    this.#messages.delete(providerId);
    if (!isAside) return;
    this.#messages.set(providerId, message);
    this.notices.notice(notice);
  }
}

function buildNoticeCode(providerId: string): string {
  return `tools_aside:${providerId}`;
}

function createWithheldNotice(
  providerId: string,
  { most, names }: { readonly most: number; readonly names: readonly string[] },
): Notice {
  return {
    code: buildNoticeCode(providerId),
    severity: "warning",
    ends: "by over",
    message: `${providerId} accepts at most ${most} tools in a call, and more are enabled. Session Runtime leaves out these of its own: ${names.join(", ")}.`,
    remedy:
      "If a prompt was refused, send it again. To get these tools back, turn off an MCP server that you don't need here.",
  };
}

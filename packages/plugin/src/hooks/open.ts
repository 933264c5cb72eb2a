// Builds one instance: the working hooks, and what the front passes on to them.
import type { Hooks } from "@opencode-ai/plugin";
import { loadFeatures } from "../features/list.ts";
import type { InboxService } from "../inbox/service.ts";
import { listedTwice } from "../status/notices.ts";
import { type Beginning, composePlugin } from "./compose.ts";
import { createHooks } from "./hooks.ts";
import { withLowering } from "./lowering.ts";
import { traced } from "./tracing.ts";

/** What stands behind the front: the hooks that do the work, and what the front hands on to. */
export interface OpenPlugin {
  readonly hooks: Hooks;
  readonly inbox: InboxService;
  /** Another instance on the same directory stays idle. */
  readonly tellDoubled: () => void;
}

/** Builds one instance; the front loads this module, and with it everything that a session needs. */
export async function openPlugin(beginning: Omit<Beginning, "features">): Promise<OpenPlugin> {
  const features = await loadFeatures(process.env);
  const composed = composePlugin({ ...beginning, features });
  return {
    hooks: traced(withLowering(createHooks(composed), composed), composed),
    inbox: composed.inboxService,
    tellDoubled: () => composed.notices.notice(listedTwice),
  };
}

// The entry point that OpenCode 2 calls; 1.18.x calls it too, but there it does nothing.
// Folder: The edge of OpenCode 2: its hooks on the same kernel. Built to the API as read; never run on a stable 2.x.
import type { Feature } from "../feature-api/feature.ts";
import { isV2 } from "./context.ts";

/** Registers the plugin, and returns a function that removes it. */
export async function setup(
  ctx: unknown,
  features: () => Promise<readonly Feature[]>,
): Promise<(() => Promise<void>) | undefined> {
  if (!isV2(ctx)) return undefined;
  const { beginEdge } = await import("./edge.ts");
  return beginEdge(ctx, await features());
}

// What OpenCode 2 calls; a 1.18.x calls it too, and nothing happens there.
// Folder: The edge of OpenCode 2: its hooks on the same kernel. Built to the API as read; never run on a stable 2.x.
import type { Feature } from "../feature-api/feature.ts";
import { isV2 } from "./context.ts";

/** Gives what takes back all that was registered. */
export async function setup(
  ctx: unknown,
  features: () => Promise<readonly Feature[]>,
): Promise<(() => Promise<void>) | undefined> {
  if (!isV2(ctx)) return undefined;
  const { beginEdge } = await import("./edge.ts");
  return beginEdge(ctx, await features());
}

// The extension, as Pi loads it. Pi's loader transforms a module that imports Pi's package, which takes long, so only
// this one does, and Node itself loads the rest.
// Folder: The edge to Pi: its events and messages as the kernel's, and back.
import { compact } from "@earendil-works/pi-coding-agent";
import type { PiApi } from "./pi.ts";

export default async function sessionRuntime(pi: PiApi): Promise<void> {
  const { beginEdge } = await import("./edge.ts");
  beginEdge(pi, { compact });
}

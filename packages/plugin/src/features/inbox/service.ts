// The interface of an inbox for other plugins, and where they find it.
// Folder: The durable inbox: prompts are stored before they run, and survive a crash.
import type { InboxService } from "../../feature-api/prompt.ts";

/** The same across copies of this module; a later form of the service gets another number. */
const servicesMark = Symbol.for("session-runtime/inbox/1");

/** The services of this process by directory, whichever copy of this module asks. */
export function getSharedServices(): Map<string, InboxService> {
  const shared: typeof globalThis & { [servicesMark]?: Map<string, InboxService> } = globalThis;
  const services = shared[servicesMark] ?? new Map<string, InboxService>();
  shared[servicesMark] = services;
  return services;
}

/** Gives back what withdraws it; a later one for the same directory stays. */
export function publishService(directory: string, service: InboxService): () => void {
  const services = getSharedServices();
  services.set(directory, service);
  return () => {
    if (services.get(directory) === service) services.delete(directory);
  };
}

// The interface of an inbox for other plugins, and the registry in which they find it.
// Folder: The durable inbox: prompts are stored before they run, and survive a crash.
import type { InboxService } from "../../feature-api/prompt.ts";

/**
 * The registry's key, equal in all copies of this module; a later form of the service gets another number.
 */
const servicesMark = Symbol.for("session-runtime/inbox/1");

/** Returns the services of this process by directory, whichever copy of this module asks. */
export function getSharedServices(): Map<string, InboxService> {
  const shared: typeof globalThis & { [servicesMark]?: Map<string, InboxService> } = globalThis;
  const services = shared[servicesMark] ?? new Map<string, InboxService>();
  shared[servicesMark] = services;
  return services;
}

/** Publishes a service and returns a function that withdraws it; a later service for the directory stays. */
export function publishService(directory: string, service: InboxService): () => void {
  const services = getSharedServices();
  services.set(directory, service);
  return () => {
    if (services.get(directory) === service) services.delete(directory);
  };
}

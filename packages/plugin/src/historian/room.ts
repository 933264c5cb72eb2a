// The historian in one plugin instance.
import type { Room } from "../features/feature.ts";
import type { House } from "../features/house.ts";
import { faultFields } from "../log/fault.ts";
import { writtenReader } from "./reader.ts";
import { segmentStore } from "./segment-store.ts";

export function openRoom({ database, project, log, written }: House): Room {
  const store = () => database.current().store(segmentStore);
  const failed = (error: unknown) => log.warn("historian.read_failed", faultFields(error));
  written.offer(writtenReader({ store, project, failed }));
  return {};
}

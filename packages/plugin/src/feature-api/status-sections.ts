// The sections that features bring to a session's status; loads with what reports it.
import type { ReadSection } from "../status/section.ts";
import type { Feature } from "./feature.ts";

/** Lists the sections in the order of the features. */
export function statusSections(features: readonly Feature[]): Promise<readonly ReadSection[]> {
  return Promise.all(features.flatMap(({ status }) => (status ? [status()] : [])));
}

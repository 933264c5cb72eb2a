// The sections that features bring to a session's status; loads with what reports it.
import type { ReadSection } from "../status/section.ts";
import { loadFeatures } from "./list.ts";

const features = await loadFeatures(process.env);

/** In the order of the list. */
export const statusSections: readonly ReadSection[] = await Promise.all(
  features.flatMap(({ status }) => (status ? [status()] : [])),
);

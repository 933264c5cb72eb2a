// Creates the time marks feature.
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { dayReader } from "../../sources/date.ts";
import { timeMarks } from "./time-mark.ts";

const LONG_MS = 3_600_000;

export function createTimeMarksFeature({
  config,
}: Pick<FeatureContext, "config">): FeatureInstance {
  return {
    policies: [timeMarks(LONG_MS, momentFormatter(config))],
  };
}

/** Formats moments in the time zone of the date that the model has. */
function momentFormatter({
  date: { timeZone },
}: FeatureContext["config"]): (atMs: number) => string {
  const formatDay = dayReader(timeZone);
  const clock = new Intl.DateTimeFormat("en-GB", {
    ...(timeZone !== null && { timeZone }),
    hour: "2-digit",
    minute: "2-digit",
  });
  return (atMs) => `${clock.format(atMs)} on ${formatDay(atMs)}`;
}

// Time marks in one plugin instance.
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { dayReader } from "../../sources/date.ts";
import { timeMarks } from "./mark.ts";

const LONG_MS = 3_600_000;

export function openRoom({ config }: Pick<House, "config">): Room {
  return {
    policies: [timeMarks(LONG_MS, momentIn(config))],
  };
}

/** In the zone of the date that the model has. */
function momentIn({ date: { timeZone } }: House["config"]): (atMs: number) => string {
  const dayOf = dayReader(timeZone);
  const clock = new Intl.DateTimeFormat("en-GB", {
    ...(timeZone !== null && { timeZone }),
    hour: "2-digit",
    minute: "2-digit",
  });
  return (atMs) => `${clock.format(atMs)} on ${dayOf(atMs)}`;
}

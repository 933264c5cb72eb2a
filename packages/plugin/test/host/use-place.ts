import { afterEach, beforeEach } from "bun:test";
import type { DrivenSession } from "./driver.ts";
import { Place } from "./place.ts";

interface UsedPlace {
  /** Of the test that runs. */
  readonly place: Place;
  /** A session of it, which is closed after the test. */
  readonly kept: (driven: DrivenSession) => DrivenSession;
}

/** A place of its own for each test of the group that asks for it. */
export function usePlace(): UsedPlace {
  let place: Place;
  let open: DrivenSession[];
  beforeEach(() => {
    place = new Place();
    open = [];
  });
  afterEach(async () => {
    for (const driven of open) await driven.close();
    place.remove();
  });
  return {
    get place() {
      return place;
    },
    kept: (driven) => {
      open.push(driven);
      return driven;
    },
  };
}

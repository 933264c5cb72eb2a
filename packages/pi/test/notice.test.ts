import { expect, test } from "bun:test";
import { TimeoutError } from "@session-runtime/opencode/runtime/guard";
import { OpeningGuard } from "@session-runtime/opencode/runtime/opening-guard";
import { unopened } from "../src/edge.ts";

test("that the runtime can't be opened is said once in a session, however many calls it misses", async () => {
  const said: string[] = [];
  const guard = new OpeningGuard({
    open: () => Promise.reject(new Error("no database")),
    refused: (_where, error) => void said.push(unopened(error)),
  });
  for (const where of ["context", "turn_end", "context"]) await guard.run(where, async () => null);
  expect(said).toEqual([
    "Session Runtime could not be opened (Error); requests are sent as Pi makes them until you restart Pi.",
  ]);
});

test("what is only late is said to be late", () => {
  expect(unopened(new TimeoutError(5_000))).toContain(
    "until it is open, requests are sent as Pi makes them",
  );
});

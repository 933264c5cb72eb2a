import { expect, test } from "bun:test";
import { OpeningGuard } from "../../plugin/src/instance/opening-guard.ts";
import { unopened } from "../src/edge.ts";

test("that the runtime can't be opened is said once in a session, however many calls it misses", async () => {
  const said: string[] = [];
  const guard = new OpeningGuard({
    open: () => Promise.reject(new Error("no database")),
    refused: (where) => void said.push(unopened(where)),
  });
  for (const where of ["context", "turn_end", "context"]) await guard.run(where, async () => null);
  expect(said).toEqual([expect.stringMatching(/ in context; requests go as Pi makes/)]);
});

import { expect, test } from "bun:test";
import { noticeOnce } from "../src/edge.ts";

test("that the runtime can't be opened is said once in a session, however many calls it misses", () => {
  const said: string[] = [];
  const refused = noticeOnce((text, kind) => said.push(`${kind}: ${text}`));
  for (const where of ["context", "turn_end", "context"]) refused(where);
  expect(said).toEqual([expect.stringMatching(/^warning: .* in context; requests go as Pi makes/)]);
});

import { expect, test } from "bun:test";
import { renderOpenFailure } from "../../src/hooks-v2/edge.ts";

test("V10: an instance that can't be opened is said with its cause, whatever was thrown", () => {
  expect(renderOpenFailure(new RangeError("broken"))).toBe(
    "Session Runtime could not be opened (RangeError), so requests go out as OpenCode makes them. Restart OpenCode to try again.",
  );
  expect(renderOpenFailure("broken")).toContain("(string)");
});

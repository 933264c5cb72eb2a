import { expect, test } from "bun:test";
import { notOpenedText } from "../../src/hooks-v2/edge.ts";

test("V10: an instance that can't be opened is said with its cause, whatever was thrown", () => {
  expect(notOpenedText(new RangeError("broken"))).toBe(
    "Session Runtime could not be opened (RangeError), so requests go out as OpenCode makes them. Restart OpenCode to try again.",
  );
  expect(notOpenedText("broken")).toContain("(string)");
});

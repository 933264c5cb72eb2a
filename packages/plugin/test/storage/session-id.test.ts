import { expect, test } from "bun:test";
import { parseSessionId } from "../../src/storage/session-id.ts";

test.each(["ses_dee9fa53affe8UBtUIExPemDOB", "01a2119f-96d5-7560-a357-04f5b1fce55b"])(
  "%s is the id of a session",
  (id) => expect(String(parseSessionId(id))).toBe(id),
);

test.each([
  "",
  "ses",
  "../ses_1",
  "ses_1/..",
  `ses_${"a".repeat(65)}`,
  "01a2119f-96d5-7560-a357-04f5b1fce55",
  "01a2119f-96d5-7560-a357-04f5b1fce55b/..",
  "01A2119F-96D5-7560-A357-04F5B1FCE55B",
  "01a2119f96d57560a35704f5b1fce55b",
])("%p is not", (id) => expect(parseSessionId(id)).toBeNull());

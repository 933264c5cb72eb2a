import { expect, test } from "bun:test";
import { readReduceProposal } from "../../../src/features/history/reduce.ts";

test("what was let go is read back by its part ids", () => {
  expect(readReduceProposal({ partIds: ["prt_1", "prt_2"] })).toEqual({
    partIds: ["prt_1", "prt_2"],
  });
});

test.each([null, {}, { partIds: "prt_1" }, { partIds: [1] }, "prt_1"])(
  "%p was stored by another version, and lets nothing go",
  (output) => {
    expect(readReduceProposal(output)).toBeNull();
  },
);

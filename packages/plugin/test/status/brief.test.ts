import { expect, test } from "bun:test";
import { readStatus } from "../../src/status/model.ts";
import { renderStatus } from "../../src/status/render.ts";
import { briefRecord } from "../storage/records.ts";
import { createStatusInput, minutesAgo } from "./records.ts";

test("/ctx-status says when the last compaction got a brief", () => {
  const brief = { ...briefRecord("msg_1"), seq: 1, madeAtMs: minutesAgo(5) };
  const status = readStatus(createStatusInput({ brief }), null);
  expect(status.brief).toMatchObject({ stage: "bug-fix", madeAtMs: minutesAgo(5) });
  expect(renderStatus(status).replace(/\s+/g, " ")).toContain(
    "Brief sent to the last compaction 5 min ago",
  );
});

test("/ctx-status says nothing of briefs where there was none", () => {
  expect(renderStatus(readStatus(createStatusInput({}), null))).not.toContain("/ctx-brief");
});

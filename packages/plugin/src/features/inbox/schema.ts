// Declares the tables of the inbox: admitted prompts, and the leases of the processes that drive sessions.
import type { Driver } from "../../storage/driver.ts";
import { openInputStates } from "../../storage/overview-records.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { leaseTable } from "./lease-store.ts";
import { inputTable } from "./records.ts";

export const inboxTables: SchemaModule = {
  tables: [inputTable, leaseTable],
  salvage: {
    tables: [
      {
        table: inputTable,
        where: `state IN (${openInputStates.map((state) => `'${state}'`).join(", ")})`,
        noun: ["queued prompt", "queued prompts"],
        isSetUp: false,
      },
    ],
    toMarkdown: renderOpenPrompts,
  },
};

function renderOpenPrompts(driver: Driver): string {
  const inputs = inputTable.in(driver).list({ state: openInputStates }, "sessionId", "rank");
  if (inputs.length === 0) return "";
  const prompts = inputs.flatMap(({ sessionId, directory, preview, prompt }) => {
    const texts =
      prompt?.parts.flatMap(({ text }) => (typeof text === "string" ? [text] : [])) ?? [];
    const text = texts.length === 0 ? preview : texts.join("\n\n");
    return [
      `## ${sessionId} in ${directory}`,
      "",
      ...text.split("\n").map((line) => `> ${line}`),
      "",
    ];
  });
  return ["# Queued prompts", "", ...prompts].join("\n");
}

// `session-runtime memory check`: finds secrets that stand in the database, and masks them for good.
import type { CliAnswer, CliCall } from "../../feature-api/cli-command.ts";
import { counted } from "../../status/wording.ts";
import type { Driver } from "../../storage/driver.ts";
import { fingerprint } from "./similar.ts";
import { KEPT, leaksIn, type SecretLeak } from "./stored-texts.ts";

/** Checks the memories of all projects, as secrets may be in any of them. */
export function checkKept({ driver, given, nowMs }: CliCall): CliAnswer {
  const leaks = leaksIn(driver);
  const isFixed = given.get("fix") === true && leaks.length > 0;
  if (isFixed) maskKept(driver, leaks, nowMs);
  return {
    text: formatLeaks(leaks, isFixed),
    values: {
      found: leaks.map(({ kind, named, preview }) => ({ kind, named, preview })),
      masked: isFixed ? leaks.length : 0,
    },
  };
}

function formatLeaks(leaks: readonly SecretLeak[], isFixed: boolean): string {
  if (leaks.length === 0) {
    return "No stored text holds what looks like a password, a key or a token.";
  }
  const rows = leaks.map(({ kind, named, preview }) => `- ${kind} ${named}: ${preview}`);
  const texts = counted(leaks.length, "text");
  return isFixed
    ? [
        `Masked what looked like a secret in ${texts}; the database's files no longer hold it:`,
        ...rows,
        "Conversations, and what was already sent to models, stay unchanged: delete a session to delete its texts. Replace a secret that was shared.",
      ].join("\n")
    : [
        `Found what looks like a password, a key or a token in ${texts}, shown masked here:`,
        ...rows,
        "Nothing was changed. memory check --fix masks all of them for good; memory edit and forget change single ones.",
      ].join("\n");
}

/** Masks all of them or none. The words leave the pages and the write-ahead log, as deleted ones do. */
function maskKept(driver: Driver, leaks: readonly SecretLeak[], nowMs: number): void {
  driver.transaction(() => {
    for (const leak of leaks) mask(driver, leak, nowMs);
  });
}

function mask(driver: Driver, leak: SecretLeak, nowMs: number): void {
  switch (leak.kind) {
    case "memory":
      maskMemory(driver, leak, nowMs);
      break;
    case "note":
      // The row's trigger sends a note to the team's store by its state.
      setColumns(driver, leak, ["state = state"]);
      break;
    case "reminder":
    case "note about you":
    case "segment":
    case "job":
    case "change by upkeep":
      setColumns(driver, leak, []);
  }
}

function setColumns(driver: Driver, leak: SecretLeak, more: readonly string[]): void {
  const sets = [...leak.masked.keys()].map((column) => `${column} = ?`);
  const sql = `UPDATE ${KEPT[leak.kind].table} SET ${[...sets, ...more].join(", ")} WHERE rowid = ?`;
  driver.erase(sql, ...leak.masked.values(), leak.rowId);
}

/** No two active memories say the same: one that is masked may stand for several. */
function maskMemory(driver: Driver, leak: SecretLeak, nowMs: number): void {
  const { digest } = fingerprint(leak.masked.get("text") ?? "");
  driver.run(SUPERSEDE_SAME, digest, leak.rowId);
  const text = new Map([...leak.masked, ["digest", digest]]);
  const changed = `changed_at_ms = max(${Math.trunc(nowMs)}, changed_at_ms + 1)`;
  setColumns(driver, { ...leak, masked: text }, [changed]);
}

const SUPERSEDE_SAME = `
  UPDATE memory SET state = 'superseded', superseded_by = same.id
  FROM memory AS same
  WHERE same.digest = ?1 AND same.state = 'active' AND same.project = memory.project
    AND same.id <> memory.id AND memory.state = 'active' AND memory.rowid = ?2`;

// Implements `session-runtime memory check`: finds secrets in the database, and masks them for good.
import type { CliAnswer, CliCall } from "../../feature-api/command.ts";
import { containsSecret, MASK, maskSecrets } from "../../log/secrets.ts";
import { renderCount } from "../../status/wording.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import { fingerprint } from "./similar.ts";

// Lists the places where the database keeps texts by models and users, which are searched for secrets.

/**
 * Texts that sessions were sent (Baselines, updates, folds) are not listed, because they are never changed.
 */
const STORED_TEXT_LOCATIONS = {
  memory: { table: "memory", named: "ref", text: "text", json: [] },
  note: { table: "note", which: "condition IS NULL", named: "ref", text: "text", json: [] },
  reminder: {
    table: "note",
    which: "condition IS NOT NULL",
    named: "ref",
    text: "text",
    json: ["condition"],
  },
  "note about you": { table: "user_profile", named: "id", text: "text", json: [] },
  segment: { table: "written_segment", named: "session_id", text: null, json: ["texts", "events"] },
  job: { table: "job", named: "id", text: null, json: ["input"] },
  "change by upkeep": {
    table: "upkeep_change",
    named: "ref",
    text: null,
    json: ["before", "proposal"],
  },
} as const satisfies Readonly<Record<string, StoredTextLocation>>;

type StoredTextKind = keyof typeof STORED_TEXT_LOCATIONS;

interface StoredTextLocation {
  readonly table: string;
  /** A condition that selects rows; without it all rows of the table are checked. */
  readonly which?: string;
  /** The column by which people identify a row. */
  readonly named: string;
  readonly text: string | null;
  /** The columns of JSON that contains texts. */
  readonly json: readonly string[];
}

/** Describes a row that holds something that looks like a secret. */
interface SecretLeak {
  readonly kind: StoredTextKind;
  readonly rowId: number;
  readonly named: string;
  /** The replacement text of each column. */
  readonly masked: ReadonlyMap<string, string>;
  /** The text around the row's first secret, masked. */
  readonly preview: string;
}

export const STORED_TEXT_KINDS = Object.keys(STORED_TEXT_LOCATIONS) as readonly StoredTextKind[];

export function findLeaks(driver: Driver): readonly SecretLeak[] {
  return STORED_TEXT_KINDS.flatMap((kind) =>
    driver.all(buildSelect(STORED_TEXT_LOCATIONS[kind])).flatMap((row) => findLeak(kind, row)),
  );
}

function buildSelect({ table, which = "true", named, text, json }: StoredTextLocation): string {
  const columns = [...(text === null ? [] : [text]), ...json];
  return `SELECT rowid AS row_id, ${named} AS named, ${columns.join(", ")} FROM ${table} WHERE ${which} ORDER BY rowid`;
}

function findLeak(kind: StoredTextKind, row: SqlRow): readonly SecretLeak[] {
  const { text, json }: StoredTextLocation = STORED_TEXT_LOCATIONS[kind];
  const masked = new Map<string, string>();
  const previews: string[] = [];
  const maskText = (one: string): string => {
    if (!containsSecret(one)) return one;
    const clean = maskSecrets(one);
    previews.push(excerptAroundSecret(clean));
    return clean;
  };
  for (const column of text === null ? json : [text, ...json]) {
    const value = row[column];
    if (typeof value !== "string") continue;
    const found = previews.length;
    const clean =
      column === text ? maskText(value) : JSON.stringify(mapStrings(JSON.parse(value), maskText));
    if (previews.length > found) masked.set(column, clean);
  }
  const [preview] = previews;
  if (preview === undefined) return [];
  return [{ kind, rowId: Number(row.row_id), named: String(row.named), masked, preview }];
}

/** Applies `change` to each text in a JSON value; the names of fields stay as they are. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, mapStrings(one, change)]),
  );
}

const CONTEXT_BEFORE_CHARS = 50;
const CONTEXT_AFTER_CHARS = 30;

function excerptAroundSecret(clean: string): string {
  const at = Math.max(0, clean.indexOf(MASK));
  const from = Math.max(0, at - CONTEXT_BEFORE_CHARS);
  const to = at + MASK.length + CONTEXT_AFTER_CHARS;
  const cut = clean.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${cut}${to < clean.length ? "…" : ""}`;
}

/** Checks the stored texts of all projects, because any of them may hold a secret. */
export function checkStoredTexts({ driver, given, nowMs }: CliCall): CliAnswer {
  const leaks = findLeaks(driver);
  const isFixed = given.get("fix") === true && leaks.length > 0;
  if (isFixed) maskLeaks(driver, leaks, nowMs);
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
  const texts = renderCount(leaks.length, "text");
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

/**
 * Masks all secrets or none. They also vanish from the database's pages and write-ahead log, like deleted
 * texts.
 */
function maskLeaks(driver: Driver, leaks: readonly SecretLeak[], nowMs: number): void {
  driver.transaction(() => {
    for (const leak of leaks) maskLeak(driver, leak, nowMs);
  });
}

function maskLeak(driver: Driver, leak: SecretLeak, nowMs: number): void {
  switch (leak.kind) {
    case "memory":
      maskMemory(driver, leak, nowMs);
      break;
    case "note":
      // Setting the state fires the trigger that sends the note to the team's store.
      updateColumns(driver, leak, ["state = state"]);
      break;
    case "reminder":
    case "note about you":
    case "segment":
    case "job":
    case "change by upkeep":
      updateColumns(driver, leak, []);
  }
}

function updateColumns(driver: Driver, leak: SecretLeak, more: readonly string[]): void {
  const sets = [...leak.masked.keys()].map((column) => `${column} = ?`);
  const sql = `UPDATE ${STORED_TEXT_LOCATIONS[leak.kind].table} SET ${[...sets, ...more].join(", ")} WHERE rowid = ?`;
  driver.erase(sql, ...leak.masked.values(), leak.rowId);
}

/**
 * Masks a memory. If an active memory already has the masked text, it supersedes the masked memory, because
 * no two active memories say the same thing.
 */
function maskMemory(driver: Driver, leak: SecretLeak, nowMs: number): void {
  const { digest } = fingerprint(leak.masked.get("text") ?? "");
  driver.run(SUPERSEDE_DUPLICATES, digest, leak.rowId);
  const text = new Map([...leak.masked, ["digest", digest]]);
  const changed = `changed_at_ms = max(${Math.trunc(nowMs)}, changed_at_ms + 1)`;
  updateColumns(driver, { ...leak, masked: text }, [changed]);
}

const SUPERSEDE_DUPLICATES = `
  UPDATE memory SET state = 'superseded', superseded_by = same.id
  FROM memory AS same
  WHERE same.digest = ?1 AND same.state = 'active' AND same.project = memory.project
    AND same.id <> memory.id AND memory.state = 'active' AND memory.rowid = ?2`;

// Lists where the database keeps texts of models and users, to be searched for secrets.
import { holdsSecret, SECRET, withoutSecrets } from "../../log/secrets.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";

/** Texts that sessions were sent (Baselines, updates, folds) are not listed: they are never changed. */
export const KEPT = {
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
} as const satisfies Readonly<Record<string, StoredTextPlace>>;

export type KeptKind = keyof typeof KEPT;

interface StoredTextPlace {
  readonly table: string;
  /** Selects some rows; without it all rows of the table are checked. */
  readonly which?: string;
  /** The column by which a person finds the row. */
  readonly named: string;
  readonly text: string | null;
  /** Columns that hold JSON, with texts in it. */
  readonly json: readonly string[];
}

/** A row with something that looks like a secret. */
export interface SecretLeak {
  readonly kind: KeptKind;
  readonly rowId: number;
  readonly named: string;
  /** The replacement text of each column. */
  readonly masked: ReadonlyMap<string, string>;
  /** The text around the first of them, masked. */
  readonly preview: string;
}

export const KINDS = Object.keys(KEPT) as readonly KeptKind[];

export function leaksIn(driver: Driver): readonly SecretLeak[] {
  return KINDS.flatMap((kind) =>
    driver.all(buildSelect(KEPT[kind])).flatMap((row) => leakIn(kind, row)),
  );
}

function buildSelect({ table, which = "true", named, text, json }: StoredTextPlace): string {
  const columns = [...(text === null ? [] : [text]), ...json];
  return `SELECT rowid AS row_id, ${named} AS named, ${columns.join(", ")} FROM ${table} WHERE ${which} ORDER BY rowid`;
}

function leakIn(kind: KeptKind, row: SqlRow): readonly SecretLeak[] {
  const { text, json }: StoredTextPlace = KEPT[kind];
  const masked = new Map<string, string>();
  const previews: string[] = [];
  const mask = (one: string): string => {
    if (!holdsSecret(one)) return one;
    const clean = withoutSecrets(one);
    previews.push(excerptAroundSecret(clean));
    return clean;
  };
  for (const column of text === null ? json : [text, ...json]) {
    const value = row[column];
    if (typeof value !== "string") continue;
    const found = previews.length;
    const clean =
      column === text ? mask(value) : JSON.stringify(mapStrings(JSON.parse(value), mask));
    if (previews.length > found) masked.set(column, clean);
  }
  const [preview] = previews;
  if (preview === undefined) return [];
  return [{ kind, rowId: Number(row.row_id), named: String(row.named), masked, preview }];
}

/** A value of JSON with each of its texts changed; names of fields stay. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, mapStrings(one, change)]),
  );
}

const BEFORE_CHARS = 50;
const AFTER_CHARS = 30;

function excerptAroundSecret(clean: string): string {
  const at = Math.max(0, clean.indexOf(SECRET));
  const from = Math.max(0, at - BEFORE_CHARS);
  const to = at + SECRET.length + AFTER_CHARS;
  const cut = clean.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${cut}${to < clean.length ? "…" : ""}`;
}

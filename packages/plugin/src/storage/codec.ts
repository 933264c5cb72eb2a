// JSON columns and their codecs.
import * as z from "zod";
import { isSourceKey } from "../context/key.ts";
import { sourceKeySchema } from "../context/key-schema.ts";
import {
  type Snapshot,
  type SnapshotDelta,
  snapshotDeltaSchema,
  snapshotSchema,
} from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { SqlRow } from "./driver.ts";
import type { LayerDigests } from "./records.ts";
import { StorageError } from "./store.ts";

const namespaced = (keyed: object) => Object.keys(keyed).every(isSourceKey);

export const storedText = z.string();
export const storedMessageIds: z.ZodType<readonly string[]> = z.array(z.string());
export const storedTexts: z.ZodType<readonly KeyedText[]> = z.array(
  z.object({ key: sourceKeySchema, text: z.string() }),
);
export const storedSnapshot: z.ZodType<Snapshot> = snapshotSchema.refine(namespaced);
export const storedDelta: z.ZodType<SnapshotDelta> = snapshotDeltaSchema.refine(namespaced);

const digest = z.string().regex(/^[0-9a-f]{16}$/);
export const storedDigests: z.ZodType<LayerDigests> = z.object({
  tools: digest,
  preamble: digest,
  baseline: digest,
  live: digest,
  history: digest,
  historyAtWatermark: digest,
});

/** A TEXT column that holds the JSON of a value. */
export function jsonColumn<T>(schema: z.ZodType<T>) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: String(error) });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/**
 * The JSON of a value for such a column.
 * @throws StorageError `failed` for a value that could not be read back.
 */
export function toJson<T>(column: string, schema: z.ZodType<T>, value: T): string {
  const result = schema.safeParse(value);
  if (result.success) return JSON.stringify(result.data);
  throw new StorageError("failed", `${column} can't be stored: ${placesOf(result.error)}.`);
}

/**
 * One row of `table`, whose primary key is (session_id, seq), by its codec.
 * @throws StorageError `corrupt` that names table and key, never a value.
 */
export function decodeRow<T>(table: string, schema: z.ZodType<T>, row: SqlRow): T {
  const result = schema.safeParse(row);
  if (result.success) return result.data;
  const place = `${table} (${String(row.session_id)}, ${String(row.seq)})`;
  throw new StorageError(
    "corrupt",
    `A stored row does not decode: ${place}: ${placesOf(result.error)}. Only this session is concerned; deleting it removes the row.`,
  );
}

function placesOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join(".")} (${issue.code})`).join(", ");
}

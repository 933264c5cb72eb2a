// Reads what happened beside a session's calls: jobs, and memories that were written, corrected and archived.
import { formatCount } from "@session-runtime/opencode/status/wording";
import type { Driver, SqlRow } from "@session-runtime/opencode/storage/driver";
import type { SessionId } from "@session-runtime/opencode/storage/records";

/** Describes a job or a memory by names and figures, without its text or input. */
export interface ParallelCalls {
  readonly atMs: number;
  readonly kind: "memory" | "job";
  /** The description, on one line. */
  readonly words: string;
}

/** Returns them oldest first; none from a database without their tables. */
export function readSessionExtras(driver: Driver, sessionId: SessionId): readonly ParallelCalls[] {
  const has = (table: string) => driver.get(SELECT_TABLE, table) !== null;
  const memories = has("memory") ? driver.all(SELECT_MEMORIES, sessionId) : [];
  const jobs = has("job") ? driver.all(SELECT_JOBS, sessionId) : [];
  return [...memories.flatMap(memoryMarks), ...jobs.map(jobMark)].sort(
    (left, right) => left.atMs - right.atMs,
  );
}

function memoryMarks(row: SqlRow): readonly ParallelCalls[] {
  const { ref, category, by, state } = row;
  const name = `memory ${ref} (${category})`;
  const written = { atMs: Number(row.written_at_ms), words: `${name} written by the ${by}` };
  const gone = { atMs: Number(row.changed_at_ms), words: `${name} ${state}` };
  return [written, ...(state === "active" ? [] : [gone])].map((mark) => ({
    ...mark,
    kind: "memory",
  }));
}

function jobMark(row: SqlRow): ParallelCalls {
  const { id, kind, model, state } = row;
  const tokens = Number(row.input_tokens) + Number(row.output_tokens);
  const by = model === null ? "" : ` by ${model}`;
  const how = state === "given_up" ? "given up" : "done";
  return {
    atMs: Number(row.settled_at_ms ?? row.started_at_ms),
    kind: "job",
    words: `job ${id} (${kind}) ${how}${by}, ${formatCount(tokens)} tokens`,
  };
}

const SELECT_TABLE = "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = ?";

const SELECT_MEMORIES = `
  SELECT ref, category, by, state, written_at_ms, changed_at_ms FROM memory WHERE session_id = ?`;

/** Leaves out jobs that were stopped before they called a model. */
const SELECT_JOBS = `
  SELECT id, kind, model, state, input_tokens, output_tokens, started_at_ms, settled_at_ms FROM job
  WHERE session_id = ? AND started_at_ms IS NOT NULL
    AND state IN ('settled', 'given_up')`;

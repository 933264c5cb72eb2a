// Declares the table of segments that a model wrote.
// Folder: The historian: a background job in which a model summarises older history.
import * as z from "zod";
import { SEGMENT_KINDS } from "../../history/folded-text.ts";
import type { WrittenSegment } from "../../history/written.ts";
import { importedProjectParent } from "../../project/tables.ts";
import { brandedText, integer, json, openChoice, text } from "../../storage/column.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { type RowOf, sessionRules, table } from "../../storage/table.ts";

export const EVENT_TYPES = ["decision", "change", "failure", "discovery"] as const;

/** Describes something that happened in a segment. */
export interface SegmentEvent {
  readonly messageId: string;
  readonly type: (typeof EVENT_TYPES)[number];
  readonly text: string;
}

const storedTextsSchema: z.ZodType<WrittenSegment["texts"]> = z.object({
  full: z.string(),
  short: z.string(),
  brief: z.string(),
  line: z.string(),
});
const storedEventsSchema: z.ZodType<readonly SegmentEvent[]> = z.array(
  z.object({ messageId: z.string(), type: z.enum(EVENT_TYPES), text: z.string() }),
);

export const segmentTable = table(
  "written_segment",
  {
    sessionId: brandedText<SessionId>(),
    /** The generation: 0 at first, one more each time the history is summarised again from its beginning. */
    generation: integer,
    firstId: text,
    lastId: text,
    place: integer,
    messageCount: integer,
    digest: text,
    /** The hash of the first message of the session's array; a session's forks have the same hash. */
    root: text,
    project: brandedText<ProjectId>(),
    kind: openChoice(SEGMENT_KINDS),
    importance: integer,
    texts: json(storedTextsSchema),
    events: json(storedEventsSchema),
    /** The model as `provider/model`. */
    model: text,
    writtenAtMs: integer,
  },
  {
    key: ["sessionId", "generation", "firstId"],
    ...sessionRules({ by: "place", parent: importedProjectParent }),
    sql: {
      columns: {
        generation: "CHECK (generation >= 0)",
        place: "CHECK (place >= 0)",
        messageCount: "CHECK (message_count >= 1)",
        importance: "CHECK (importance BETWEEN 0 AND 100)",
      },
      extras: "CREATE INDEX written_segment_by_root ON written_segment (root, project);",
    },
  },
);

export type SegmentRecord = RowOf<typeof segmentTable>;

export const historianTables: SchemaModule = {
  tables: [segmentTable],
  setUp: `
CREATE TRIGGER written_segment_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE written_segment SET project = substr(NEW.id, length('moved:') + 1) WHERE project = OLD.id;
END;`,
};

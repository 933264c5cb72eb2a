// Segments that a model wrote, as they are stored.
// Folder: The historian: a background job in which a model summarises older history.
import * as z from "zod";
import { SEGMENT_KINDS } from "../../history/segment.ts";
import type { WrittenSegment } from "../../history/written.ts";
import { metProject } from "../../project/tables.ts";
import { json } from "../../storage/codec.ts";
import { branded, integer, oneOf, text } from "../../storage/column.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { SchemaPart } from "../../storage/schema-part.ts";
import { ofSession, type RowOf, table } from "../../storage/table.ts";

export const EVENT_TYPES = ["decision", "change", "failure", "discovery"] as const;

/** Something that happened in a segment. */
export interface SegmentEvent {
  readonly messageId: string;
  readonly type: (typeof EVENT_TYPES)[number];
  readonly text: string;
}

const storedTexts: z.ZodType<WrittenSegment["texts"]> = z.object({
  full: z.string(),
  short: z.string(),
  brief: z.string(),
  line: z.string(),
});
const storedEvents: z.ZodType<readonly SegmentEvent[]> = z.array(
  z.object({ messageId: z.string(), type: z.enum(EVENT_TYPES), text: z.string() }),
);

export const segmentTable = table(
  "written_segment",
  {
    sessionId: branded<SessionId>(),
    /** 0, and one more each time the session's history is written from its beginning. */
    generation: integer,
    firstId: text,
    lastId: text,
    place: integer,
    messageCount: integer,
    digest: text,
    /** Of the first message of the session's array: forks have the same. */
    root: text,
    project: branded<ProjectId>(),
    kind: oneOf(SEGMENT_KINDS),
    importance: integer,
    texts: json(storedTexts),
    events: json(storedEvents),
    /** `provider/model` */
    model: text,
    writtenAtMs: integer,
  },
  {
    key: ["sessionId", "generation", "firstId"],
    ...ofSession({ by: "place", parent: metProject }),
  },
);

export type SegmentRecord = RowOf<typeof segmentTable>;

export const historianTables: SchemaPart = {
  tables: [segmentTable],
  migrations: [
    {
      version: 7,
      sql: `
CREATE TABLE written_segment (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  generation INTEGER NOT NULL CHECK (generation >= 0),
  first_id TEXT NOT NULL,
  last_id TEXT NOT NULL,
  place INTEGER NOT NULL CHECK (place >= 0),
  message_count INTEGER NOT NULL CHECK (message_count >= 1),
  digest TEXT NOT NULL,
  root TEXT NOT NULL,
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 100),
  texts TEXT NOT NULL CHECK (json_type(texts) = 'object'),
  events TEXT NOT NULL CHECK (json_type(events) = 'array'),
  model TEXT NOT NULL,
  written_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, generation, first_id)
) STRICT;
CREATE INDEX written_segment_by_root ON written_segment (root, project);
`,
    },
    {
      version: 20,
      // As `work.ts` writes it; a batch has both a last message and a generation.
      sql: `
UPDATE job SET subject = json_extract(input, '$.purpose') || ' '
  || coalesce(json_extract(input, '$.lastId'), json_extract(input, '$.generation'))
WHERE kind = 'historian';
`,
    },
    {
      version: 27,
      // The host's name of a project was its first commit or a folder, the same for a fork: known folders first.
      sql: `
UPDATE written_segment SET project = ifnull(
  (SELECT id FROM memory_project WHERE worktree <> '' AND worktree =
      (SELECT directory FROM epoch WHERE session_id = written_segment.session_id ORDER BY seq DESC LIMIT 1)
    ORDER BY seen_at_ms DESC, id LIMIT 1),
  'host:' || project);
INSERT INTO memory_project (id, name, worktree, seen_at_ms)
SELECT DISTINCT project, '', '', 0 FROM written_segment WHERE project LIKE 'host:%' ON CONFLICT DO NOTHING;
CREATE TRIGGER written_segment_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE written_segment SET project = substr(NEW.id, length('moved:') + 1) WHERE project = OLD.id;
END;
`,
    },
  ],
};

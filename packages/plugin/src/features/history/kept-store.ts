// Stores what was kept of a session by a hash of its text: a fork finds it that way, as its parts have other ids.
import { rangeDigest } from "../../history/written.ts";
import type { HostMessage } from "../../ledger/message.ts";
import { branded, integer, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { ofSessionHere, table } from "../../storage/table.ts";

/** The ledger is the authority on what is kept; these rows serve forks, which have no ledger yet. */
export const keptTable = table(
  "kept_part",
  {
    sessionId: branded<SessionId>(),
    partId: text,
    /** Hash of the first message of the session's array; forks have the same one. */
    root: text,
    /** The index of the part's message in that array, and of the part in its message. */
    place: integer,
    partPlace: integer,
    /** Digest of all messages up to and including the part's own. */
    digest: text,
  },
  {
    ...{ key: ["sessionId", "partId"], ...ofSessionHere },
    sql: {
      columns: { place: "CHECK (place >= 0)", partPlace: "CHECK (part_place >= 0)" },
      layout: "by key",
      extras: "CREATE INDEX kept_part_by_root ON kept_part (root);",
    },
  },
);

export function keptStore(driver: Driver) {
  const kept = keptTable.in(driver);
  return {
    put: (
      sessionId: SessionId,
      partIds: readonly string[],
      messages: readonly HostMessage[],
      nowMs: number,
    ): void =>
      driver.transaction(() => {
        ensureSession(driver, sessionId, nowMs);
        const root = digestRoot(messages);
        for (const [place, { parts }] of messages.entries()) {
          for (const [partPlace, { id: partId }] of parts.entries()) {
            if (!partIds.includes(partId)) continue;
            const digest = rangeDigest(messages.slice(0, place + 1));
            kept.upsert({ sessionId, partId, root, place, partPlace, digest });
          }
        }
      }),
    remove(sessionId: SessionId, partIds: readonly string[]): void {
      for (const partId of partIds) kept.delete({ sessionId, partId });
    },
    /** Returns ids of this history's parts that were kept in a session that begins with the same messages. */
    inherited: (messages: readonly HostMessage[]): readonly string[] => {
      const rows = kept.list({ root: digestRoot(messages) }, "place");
      const digests = new Map<number, string>();
      const digestAt = (place: number) => {
        const known = digests.get(place) ?? rangeDigest(messages.slice(0, place + 1));
        digests.set(place, known);
        return known;
      };
      const found = rows.flatMap(({ place, partPlace, digest }) => {
        const part = messages[place]?.parts[partPlace];
        return part && digestAt(place) === digest ? [part.id] : [];
      });
      return [...new Set(found)];
    },
  };
}

function digestRoot(messages: readonly HostMessage[]): string {
  return rangeDigest(messages.slice(0, 1));
}

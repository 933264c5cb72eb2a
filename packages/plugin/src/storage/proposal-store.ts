// The store of proposals: changes that tools, commands and jobs ask for, waiting for a boundary.
import { anyJson } from "./codec.ts";
import { branded, integer, knownValue, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { ensureSession } from "./session-store.ts";
import { ofSessionHere, type RowOf, table } from "./table.ts";

/** Holds waiting proposals. The boundary that takes one, or finds it stale, deletes it with its commit. */
export const proposalTable = table(
  "proposal",
  {
    id: integer,
    sessionId: branded<SessionId>(),
    /** Names the reader of `output`. */
    kind: text,
    /** `command` means that the user asked for the change, and gives up the provider's cache for it. */
    urgency: knownValue(["command", "waits"]),
    output: anyJson,
  },
  {
    ...{ key: ["id"], ...ofSessionHere },
    sql: {
      // An id is never reused: a process may still hold one that another has taken.
      columns: { id: "PRIMARY KEY AUTOINCREMENT" },
      constraints: ["UNIQUE (session_id, kind, urgency, output)"],
    },
  },
);

export type NewProposal = Omit<RowOf<typeof proposalTable>, "id">;

const waiting = proposalTable.pick("id", "kind", "urgency", "output");

export type ProposalStore = ReturnType<typeof proposalStore>;

export function proposalStore(driver: Driver) {
  return {
    /** Adds a proposal; the same one waits only once. */
    add: (proposal: NewProposal, nowMs: number): void =>
      driver.transaction(() => {
        ensureSession(driver, proposal.sessionId, nowMs);
        proposalTable.in(driver).insertNew(proposal);
      }),
    /** Returns the waiting proposals in the order in which they were made. */
    waiting: (sessionId: SessionId) => waiting.in(driver).list({ sessionId }, "id"),
  };
}

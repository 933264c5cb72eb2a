// The store of proposals: what tools, commands and jobs would change, until a boundary looks at it.
import { anyJson } from "./codec.ts";
import { branded, integer, knownValue, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { ensureSession } from "./session-store.ts";
import { ofSessionHere, type RowOf, table } from "./table.ts";

/** A row waits. The boundary that takes it, or finds it stale, deletes it with its commit. */
export const proposalTable = table(
  "proposal",
  {
    id: integer,
    sessionId: branded<SessionId>(),
    /** Who reads `output`. */
    kind: text,
    /** `command`: the user asked for it, and gives the provider's cache up for it. */
    urgency: knownValue(["command", "waits"]),
    output: anyJson,
  },
  {
    ...{ key: ["id"], ...ofSessionHere },
    sql: {
      // Never used twice: a process may still hold one that another has taken.
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
    /** The same proposal waits once. */
    add: (proposal: NewProposal, nowMs: number): void =>
      driver.transaction(() => {
        ensureSession(driver, proposal.sessionId, nowMs);
        proposalTable.in(driver).insertNew(proposal);
      }),
    /** In the order in which they were made. */
    waiting: (sessionId: SessionId) => waiting.in(driver).list({ sessionId }, "id"),
  };
}

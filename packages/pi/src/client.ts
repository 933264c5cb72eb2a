// What rooms ask of OpenCode's client, answered from Pi; all else rejects, as rooms expect.
import type { Beginning } from "../../plugin/src/hooks/compose-house.ts";
import type { SessionMessage } from "../../plugin/src/session/history.ts";

/** The rows of the newest call. */
export interface PiHistory {
  rows: readonly SessionMessage[];
}

interface ClientInput {
  readonly directory: string;
  readonly worktree: string;
  readonly vcs: "git" | null;
  readonly history: PiHistory;
  readonly notify: (text: string, kind: "info" | "warning" | "error") => void;
}

export function piInput(given: ClientInput): Beginning["input"] {
  const { directory, worktree, vcs, history, notify } = given;
  const client = {
    session: {
      messages: async ({ query }: { readonly query?: { readonly limit?: number } }) => ({
        data: query?.limit === undefined ? history.rows : history.rows.slice(-query.limit),
      }),
      // Pi has neither children of a session nor todo lists.
      get: async () => ({ data: {} }),
      todo: async () => ({ data: [] }),
    },
    app: { agents: async () => ({ data: [] }) },
    config: { providers: async () => ({ data: { providers: [] } }) },
    tui: { showToast: async ({ body }: Toast) => notify(body.message, body.variant) },
  };
  const project = { id: "global", ...(vcs === null ? {} : { vcs }) };
  return { client, project, directory, worktree } as unknown as Beginning["input"];
}

interface Toast {
  readonly body: {
    readonly message: string;
    readonly variant: "info" | "warning" | "error";
  };
}

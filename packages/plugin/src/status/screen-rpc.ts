// What a terminal UI's part asks of the server's part, and hears of it, over a host's rpc.

const TEXT = { type: "string" } as const;

function record(...names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, TEXT]));
  return { type: "object", properties, required: names, additionalProperties: false };
}

/** Both parts name it; the shapes are JSON Schema. */
export const SCREEN_RPC = {
  id: "session-runtime",
  methods: {
    /** The panel's part of a session's status, as JSON. */
    status: { input: record("sessionID"), output: record("panel") },
  },
  events: {
    answered: { schema: record("sessionID", "command", "text") },
    noticed: { schema: record("text", "severity") },
    changed: { schema: record("sessionID") },
  },
} as const;

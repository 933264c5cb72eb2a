// Defines what a terminal UI's part asks of the server's part, and receives, over a host's rpc.

const TEXT_SCHEMA = { type: "string" } as const;

function createRecordSchema(...names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, TEXT_SCHEMA]));
  return { type: "object", properties, required: names, additionalProperties: false };
}

/** Both parts use this definition; the shapes are JSON Schema. */
export const SCREEN_RPC = {
  id: "session-runtime",
  methods: {
    /** Returns the panel's part of a session's status, as JSON. */
    status: { input: createRecordSchema("sessionID"), output: createRecordSchema("panel") },
  },
  events: {
    answered: { schema: createRecordSchema("sessionID", "command", "text") },
    noticed: { schema: createRecordSchema("text", "severity") },
    changed: { schema: createRecordSchema("sessionID") },
  },
} as const;

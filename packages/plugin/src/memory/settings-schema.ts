// The schema of memory's section.
import * as z from "zod";
import { readAddress } from "../team/address.ts";

const LEAST_TOKENS = 100;
const MOST_TOKENS = 50_000;

export const memorySchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether the model is given the project's memories and open notes, and offered `ctx_memory` and `ctx_note`.",
      ),
    budgetTokens: z
      .int()
      .min(LEAST_TOKENS)
      .max(MOST_TOKENS)
      .default(1_200)
      .describe(
        "How much of the project's memories each session begins with, in tokens; the most important ones.",
      ),
    store: z
      .string()
      .refine(
        (text) => readAddress(text) !== null,
        'expected "postgres://user@host/database", with no parameters but `sslmode`, `sslrootcert` and `host`',
      )
      .nullable()
      .default(null)
      .describe(
        "The address of a team's store in PostgreSQL, which shares memories, notes of projects and workspaces. null: everything stays on this machine. Read from the user's own config only; the variable SESSION_RUNTIME_MEMORY_STORE comes before it.",
      ),
    member: z
      .string()
      .min(1)
      .max(80)
      .nullable()
      .default(null)
      .describe(
        "The name under which this machine's changes go to the team's store. null: the name of the user's account. Read from the user's own config only.",
      ),
    shared: z
      .boolean()
      .default(true)
      .describe(
        "Whether the project's memories go to the team's store, if there is one. A project's own file can only say false.",
      ),
  })
  .describe("What was learnt of a project, in every later session of it.");

// Holds the codec of a stored source key.
import * as z from "zod";
import { isSourceKey, type SourceKey } from "./key.ts";

/** Accepts only keys that code may register, so storage holds no others. */
export const sourceKeySchema = z.custom<SourceKey>(
  (text) => typeof text === "string" && isSourceKey(text),
  { error: "not a namespaced Context Source key" },
);

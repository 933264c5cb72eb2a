// The codec of a stored source key.
import * as z from "zod";
import { isSourceKey, type SourceKey } from "./key.ts";

/** Codec of a stored key: what code may not register, storage may not hold. */
export const sourceKeySchema = z.custom<SourceKey>(
  (text) => typeof text === "string" && isSourceKey(text),
  { error: "not a namespaced Context Source key" },
);

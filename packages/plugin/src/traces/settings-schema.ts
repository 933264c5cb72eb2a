// The schema of traces' section.
import * as z from "zod";

export const tracesSchema = z
  .strictObject({
    openTelemetry: z
      .enum(["auto", "off"])
      .default("auto")
      .describe(
        "Whether spans are given to OpenTelemetry. `auto`: where the host's process has an SDK for them. Their lines in the log do not depend on it.",
      ),
  })
  .describe("Spans of what the runtime does: names and figures, without message texts.");

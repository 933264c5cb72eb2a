// Records what the host itself showed the model.
import type { Policy } from "./policy.ts";

/** Records what the host's own text shows, at the place of that text, and adds nothing to what is sent. */
export const recordShown: Policy = {
  name: "record-shown",
  scope: "epoch",
  draft: ({ shown }) => shown,
};

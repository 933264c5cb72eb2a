// Records what the host itself showed the model.
import type { Policy } from "./policy.ts";

/** Nothing is added to what is sent: the belief is put on record, with the place where it stands. */
export const recordShown: Policy = {
  name: "record-shown",
  scope: "epoch",
  draft: ({ shown }) => shown,
};

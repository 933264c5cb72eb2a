// The dialogs that there are: the status, and those of features.
import type { DialogDeclaration, DialogName } from "../features/command.ts";
import type { Feature } from "../features/feature.ts";

export interface Dialog extends DialogDeclaration {
  readonly name: DialogName;
}

const status: Dialog = {
  name: "ctx-status",
  title: "Session Runtime: status",
  description: "Epoch, sources, updates and prompt cache of this session",
  shows: "report",
};

/** Those of features that are off too: what is on, the server alone knows, and it says so. */
export function dialogsOf(features: readonly Pick<Feature, "commands">[]): readonly Dialog[] {
  const declared = features.flatMap(({ commands }) => commands ?? []);
  return [status, ...declared.flatMap(({ name, dialog }) => (dialog ? [{ name, ...dialog }] : []))];
}

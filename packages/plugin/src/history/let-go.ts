// Takes what the model has let go with `ctx_reduce`.
import { historyDraft } from "../policies/draft.ts";
import { replacedParts } from "../policies/replaced-parts.ts";
import type { Propose } from "../policies/take-proposals.ts";
import { readLetGo } from "../projection/let-go.ts";
import { resultsIn } from "./results.ts";
import { type StubSettings, stubOf } from "./stub.ts";

/** Each result that is still shown goes for a stub; what announced something, or has gone already, stays as it is. */
export function letGo(settings: StubSettings): Propose {
  return (output, { messages, standing, claims }) => {
    const named = new Set(readLetGo(output)?.partIds);
    const replaced = replacedParts(standing);
    return resultsIn(messages).flatMap(({ messageId, partId, part, text }) => {
      if (!named.has(partId) || replaced.has(partId) || claims.has(partId)) return [];
      const stub = stubOf(part, text, "released", settings);
      return [historyDraft({ verb: "replace", at: { messageId, partId }, text: stub })];
    });
  };
}

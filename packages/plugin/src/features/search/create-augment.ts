// Creates `/ctx-augment`: it searches for a prompt's words and sends the prompt with the results.
import type { ActionAnswer, CommandCall } from "../../feature-api/command.ts";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { type Finder, Finders } from "../../feature-api/finders.ts";
import type { InboxService, PromptPartInput } from "../../feature-api/prompt.ts";
import type { SessionId } from "../../storage/records.ts";
import { lookUpHits, renderHits } from "./answer.ts";
import { createShownOrPendingTest, listDistinctiveTerms } from "./hint-search.ts";

interface AugmentDeps {
  readonly index: Pick<SearchIndex, "file">;
  readonly finders: readonly Finder[];
  readonly inbox: InboxService | null;
}

export function createAugmentFeature(
  context: FeatureContext,
  { index, finders, inbox }: AugmentDeps,
): FeatureInstance {
  const { now, project, sent } = context;
  const others = new Finders(finders);

  /** Answers like `ctx_search`, from the whole project; null if nothing is found. */
  async function findEarlierWork(sessionId: SessionId, prompt: string): Promise<string | null> {
    const terms = listDistinctiveTerms(prompt);
    if (terms.length === 0) return null;
    const { findings } = await others.search(sessionId, terms);
    const scope = { sessionId, project: await project.id() };
    return index.file.use((store) => {
      const range = store.findRange(scope, "project");
      const isShown = createShownOrPendingTest(sessionId, sent.get(sessionId));
      const { hits } = lookUpHits(store, range, terms, isShown);
      if (hits.length + findings.length === 0) return null;
      const facts = { within: "project", index: "whole", nowMs: now(), parts: 0 } as const;
      return renderHits({ hits, findings, semantic: [] }, sessionId, { ...facts, inContext: 0 });
    });
  }

  async function runAugment({ sessionId, args }: CommandCall): Promise<ActionAnswer> {
    const prompt = args.trim();
    if (prompt === "") return toNoteAnswer("Type a prompt after /ctx-augment.");
    const { sendPrompt } = context.host;
    if (sendPrompt) {
      const text = await findEarlierWork(sessionId, prompt);
      if (sendPrompt(prompt, text) === "sent") return toSentAnswer(text);
      return toNoteAnswer(
        "The session is busy, so nothing was sent. Send it again when it has settled.",
      );
    }
    if (!inbox)
      return toNoteAnswer("The inbox is not available, so nothing was sent; the log says why.");
    const text = await findEarlierWork(sessionId, prompt);
    return sendToInbox(inbox, sessionId, prompt, text);
  }

  return {
    commands: [{ kind: "action", name: "ctx-augment", dialog: () => null, act: runAugment }],
  };
}

/** The results are a part of the prompt that the transcript doesn't show; the host stores it for good. */
async function sendToInbox(
  service: InboxService,
  sessionId: SessionId,
  prompt: string,
  found: string | null,
): Promise<ActionAnswer> {
  const quoted = { type: "text", text: found ?? "", synthetic: true };
  const parts: readonly PromptPartInput[] = [
    { type: "text", text: prompt },
    ...(found === null ? [] : [quoted]),
  ];
  const result = await service.admit({ sessionId, id: null, delivery: "queue", parts });
  if (result === null) return toNoteAnswer("OpenCode has no such session, so nothing was sent.");
  return toSentAnswer(found);
}

function toSentAnswer(found: string | null): ActionAnswer {
  const refs = [...new Set(found?.match(/^\[\w:\w{6}\]/gm) ?? [])];
  const text =
    found === null
      ? "Earlier work says nothing about this: sent unchanged."
      : `Sent with what earlier work says about it: ${refs.join(" ")}`;
  return { text, shownBy: "conversation" };
}

function toNoteAnswer(text: string): ActionAnswer {
  return { text, shownBy: "note" };
}

// Where the host's mark of an undo ends a history.

/** An undo only marks where the history ends; the next prompt deletes what follows. */
interface UndoMark {
  readonly messageId: string;
  /** The first part that goes; null: the whole message. */
  readonly partId: string | null;
}

/** What an undo leaves of the messages that the host lists. */
export function beforeUndo<
  Message extends {
    readonly info: { readonly id: string };
    readonly parts: readonly { readonly id: string }[];
  },
>(messages: readonly Message[], undo: UndoMark | null): readonly Message[] {
  const at = messages.findIndex(({ info }) => info.id === undo?.messageId);
  const marked = messages[at];
  if (!undo || !marked) return messages;
  if (undo.partId === null) return messages.slice(0, at);
  const end = marked.parts.findIndex(({ id }) => id === undo.partId);
  const parts = end === -1 ? marked.parts : marked.parts.slice(0, end);
  return [...messages.slice(0, at), { ...marked, parts }];
}

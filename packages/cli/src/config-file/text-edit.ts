// Describes one change of a text, and computes its inverse.

/** Changes a text: at `offset`, `after` replaces `before`. The inverse swaps the two. */
export interface TextEdit {
  readonly offset: number;
  readonly before: string;
  readonly after: string;
}

export function applyEdit(text: string, { offset, before, after }: TextEdit): string {
  if (text.slice(offset, offset + before.length) !== before) {
    throw new RangeError("The text is not the one that the edit was made for.");
  }
  return text.slice(0, offset) + after + text.slice(offset + before.length);
}

export function inverse({ offset, before, after }: TextEdit): TextEdit {
  return { offset, before: after, after: before };
}

/** Returns the smallest single edit that turns `before` into `after`. */
export function editBetween(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return {
    offset: head,
    before: before.slice(head, before.length - tail),
    after: after.slice(head, after.length - tail),
  };
}

// Defines the namespaced keys of Context Sources: their form, codec and order.

/** A stable, namespaced name of a Context Source: `core/date`, `team/oncall`. */
export type SourceKey = string & { readonly __brand: "SourceKey" };

const SOURCE_KEY_PATTERN = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._/-]*$/;

export class InvalidKeyError extends Error {
  readonly code = "invalid_source_key";
  constructor(readonly key: string) {
    super(
      `Context Source key ${JSON.stringify(key)} is not namespaced: use lower case, like "team/oncall".`,
    );
    this.name = "InvalidKeyError";
  }
}

export function isSourceKey(text: string): text is SourceKey {
  return SOURCE_KEY_PATTERN.test(text);
}

/** @throws InvalidKeyError when the text is not of the form `namespace/name`. */
export function toSourceKey(text: string): SourceKey {
  if (!isSourceKey(text)) throw new InvalidKeyError(text);
  return text;
}

/** Compares in code-unit order, which is the same on every machine and in every locale. */
export function compareKeys(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

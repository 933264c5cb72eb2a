// Recognises other plugins that do the same work: if both run, each undoes what the other does.
import { findRewriters } from "@session-runtime/opencode/status/rewriters";
import { PLUGIN_LIST, pluginEntries } from "../config-file/plugin-list.ts";
import { readConfigFile } from "../config-file/read-file.ts";
import type { ScopeFiles } from "../host/config-places.ts";

export interface SameWork {
  readonly spec: string;
  /** The plugin's own name. */
  readonly name: string;
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/opencode-(?:dcp|dynamic-context-pruning)\b/, "Dynamic Context Pruning"],
  [/magic-context\b/, "Magic Context"],
];

/** Returns those among specs; a plugin that rewrites requests for another purpose is not one. */
export function sameWorkIn(specs: readonly string[]): readonly SameWork[] {
  return findRewriters(specs).flatMap((spec) => {
    const found = NAMES.find(([pattern]) => pattern.test(spec));
    return found === undefined ? [] : [{ spec, name: found[1] }];
  });
}

/** Returns the plugins that do the same work in the files of a scope, each once. */
export function sameWorkInFiles({ server, terminal }: ScopeFiles): readonly SameWork[] {
  const entries = [...server, ...terminal].flatMap((path) =>
    pluginEntries(readConfigFile(path), PLUGIN_LIST),
  );
  return sameWorkIn([...new Set(entries.map(({ spec }) => spec))]);
}

// Recognises plugins that are known to rewrite requests.

/**
 * Plugins that rewrite messages or the system string on their way to the provider, by the last part of their
 * package's or folder's name.
 */
const REWRITER_PLUGINS: ReadonlySet<string> = new Set([
  "magic-context",
  "oh-my-openagent",
  "oh-my-opencode",
  "oh-my-opencode-slim",
  "opencode-acp",
  "opencode-dcp",
  "opencode-dynamic-context-pruning",
  "opencode-magic-context",
  "opencode-swarm",
]);

/** Selects the specs of known rewriters from the host's `plugin` list. */
export function findRewriters(specs: readonly string[]): readonly string[] {
  return specs.filter((spec) =>
    parsePluginNames(spec).some((segment) => REWRITER_PLUGINS.has(segment)),
  );
}

/** Lists the plugins that the host lists before this one, or all of them if our own entry is not found. */
export function listPluginsBefore(specs: readonly string[]): readonly string[] {
  const at = specs.findIndex(isOwnSpec);
  return at === -1 ? specs : specs.slice(0, at);
}

/** Recognises our spec by its package's name, or by the folder of this very module. */
function isOwnSpec(spec: string): boolean {
  if (parsePluginNames(spec).some((segment) => segment.includes("session-runtime"))) return true;
  return spec.startsWith("file:") && import.meta.url.startsWith(spec);
}

/**
 * Lists the names that may identify a spec's plugin: a package's own name, or every folder and file of a path
 * or a URL, each without version and extension.
 */
function parsePluginNames(spec: string): readonly string[] {
  const isPath = /^(?:file:|\.{0,2}\/|~\/|[A-Za-z]:[\\/])/.test(spec);
  const segments = spec.split(/[\\/]/);
  const names = isPath ? segments : segments.slice(-1);
  return names.map((name) => name.replace(/(?<=.)@.*$/, "").replace(/\.[cm]?[jt]s$/, ""));
}

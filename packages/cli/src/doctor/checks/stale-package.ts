// Whether the host runs this version of the plugin, or a copy that it fetched long ago.
import pluginManifest from "../../../../plugin/package.json" with { type: "json" };
import { compareVersions } from "../../host/version-range.ts";
import { isPathSpec } from "../../setup/plugin-identity.ts";
import type { Check } from "../check.ts";
import type { CachedPackage } from "../facts/packages.ts";
import { type Finding, found, passed, skipped } from "../finding.ts";

export const stalePackage: Check = {
  id: "stale-package",
  title: "OpenCode runs this version of the plugin",
  answeredBy: [],
  run: ({ packages, plugins, command }) => {
    const ours = plugins.find((plugin) => plugin.isOurs);
    const isPath = ours !== undefined && isPathSpec(ours.spec);
    if (isPath && packages.length === 0) return skipped("the config names a folder");
    const { name, version } = pluginManifest;
    // The host asks npm for the newest under a bare name, once, and keeps what it got.
    const inUse = ours?.spec === name ? `${name}@latest` : ours?.spec;
    const old = packages.filter(
      (cached) => cached.version === null || compareVersions(cached.version, version) < 0,
    );
    if (old.length === 0) return passed(version);
    return found(
      ...old.map((cached) => (cached.spec === inUse ? stale(cached, command) : leftOver(cached))),
    );
  },
};

function stale(cached: CachedPackage, command: string): Finding {
  const { folder, spec, version } = cached;
  const isPinned = version !== null && spec.endsWith(`@${version}`);
  return {
    code: "package-stale",
    severity: "warning",
    what:
      version === null
        ? `OpenCode's copy of the plugin in ${folder} is incomplete.`
        : `OpenCode runs version ${version} of the plugin; this is ${pluginManifest.version}.`,
    cause: `OpenCode fetched it once for "${spec}", and does not update it.`,
    fix: isPinned ? `${command} setup` : `Remove ${folder}. OpenCode fetches it again.`,
    repair: isPinned ? null : { kind: "remove-cached-package", folder },
  };
}

function leftOver({ folder, spec, version }: CachedPackage): Finding {
  return {
    code: "package-left-over",
    severity: "note",
    what: `OpenCode's cache holds an unused ${version === null ? "incomplete copy" : `copy of version ${version}`} of the plugin.`,
    cause: `${folder} was fetched for "${spec}", which no config names any more.`,
    fix: `Remove ${folder}.`,
    repair: { kind: "remove-cached-package", folder },
  };
}

// Whether the host's cache holds another version.
import pluginManifest from "../../../../plugin/package.json" with { type: "json" };
import { compareVersions } from "../../host/version-range.ts";
import { isPathSpec } from "../../setup/plugin-identity.ts";
import type { Check } from "../check.ts";
import { type Finding, found, passed, skipped } from "../finding.ts";

export const stalePackage: Check = {
  id: "stale-package",
  title: "OpenCode runs this version of the plugin",
  run: ({ packages, plugins }) => {
    const ours = plugins.find((plugin) => plugin.isOurs);
    const isPath = ours !== undefined && isPathSpec(ours.spec);
    if (isPath && packages.length === 0) return skipped("the config names a path");
    const { name, version } = pluginManifest;
    // The host asks npm for the newest under a bare name, once, and keeps what it got.
    const inUse = ours?.spec === name ? `${name}@latest` : ours?.spec;
    const findings = packages.flatMap((cached): readonly Finding[] => {
      const isOld = cached.version === "none" || compareVersions(cached.version, version) < 0;
      if (!isOld) return [];
      const isUsed = cached.spec === inUse;
      const isPinned = cached.spec.endsWith(`@${cached.version}`);
      return [
        {
          code: isUsed ? "package-stale" : "package-left-over",
          severity: isUsed ? "warning" : "note",
          what: isUsed
            ? `OpenCode runs version ${cached.version} of the plugin; this is ${version}.`
            : `A copy of version ${cached.version} that nothing uses lies in OpenCode's cache.`,
          cause: `${cached.folder} was fetched once for "${cached.spec}", and is never updated.`,
          fix:
            isUsed && isPinned
              ? "session-runtime setup"
              : `Remove ${cached.folder}; OpenCode fetches what it needs.`,
          repair:
            isUsed && isPinned ? null : { kind: "remove-cached-package", folder: cached.folder },
        },
      ];
    });
    return findings.length === 0 ? passed(version) : found(...findings);
  },
};

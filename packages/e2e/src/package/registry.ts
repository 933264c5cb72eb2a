// An npm registry on loopback that has our packages.
// Folder: The packages as npm would serve them.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { PackResult } from "../../../../scripts/pack.mjs";

/** An npm registry on loopback that has the given packages, and their peers by name only. */
export interface NpmRegistry {
  readonly url: string;
  /** Names of the tarballs that were fetched, in order. */
  readonly fetched: readonly string[];
  stop(): Promise<void>;
}

export function startNpmRegistry(packages: readonly PackResult[]): NpmRegistry {
  const fetched: string[] = [];
  const peers = new Map(packages.flatMap(({ folder }) => Object.entries(listPeers(folder))));
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { origin, pathname } = new URL(request.url);
      const path = decodeURIComponent(pathname).slice(1);
      if (path.endsWith(".tgz")) fetched.push(path);
      for (const packed of packages) {
        if (path === packed.name) return Response.json(registryDocument(packed, origin));
        if (path === basename(packed.tarball)) return new Response(Bun.file(packed.tarball));
      }
      const peer = peers.get(path);
      if (peer) return Response.json(registryPeer(path, peer, origin));
      return Response.json({ error: "Not found" }, { status: 404 });
    },
  });
  return { url: server.url.href, fetched, stop: () => server.stop(true) };
}

/** What a registry says of a package that has one version. */
function registryDocument({ name, version, folder, tarball }: PackResult, origin: string) {
  const sha512 = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  const dist = { tarball: `${origin}/${basename(tarball)}`, integrity: `sha512-${sha512}` };
  return oneVersion(name, version, { ...manifestIn(folder), dist });
}

/** A peer that is there to be fetched by whoever thinks that it is needed. */
function registryPeer(name: string, range: string, origin: string) {
  const version = /\d+\.\d+\.\d+/.exec(range)?.[0] ?? "1.0.0";
  const dist = { tarball: `${origin}/${name.replace("/", "-")}.tgz` };
  return oneVersion(name, version, { name, version, dist });
}

function oneVersion(name: string, version: string, manifest: object) {
  return { name, "dist-tags": { latest: version }, versions: { [version]: manifest } };
}

function listPeers(folder: string): Readonly<Record<string, string>> {
  return manifestIn(folder).peerDependencies ?? {};
}

function manifestIn(folder: string): { readonly peerDependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

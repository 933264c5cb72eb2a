// Types of pack.mjs.

/** A package as npm would publish it. */
export interface PackResult {
  /** The built package. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
  readonly bytes: number;
  /** Paths inside the package. */
  readonly files: readonly string[];
}

/** Builds all packages into `destination` and packs them there. */
export function packAll(destination: string): Promise<{
  readonly plugin: PackResult;
  readonly cli: PackResult;
  readonly pi: PackResult;
}>;

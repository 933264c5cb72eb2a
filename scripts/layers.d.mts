// Types of layers.mjs.
import type { SourceFile } from "./structure.mjs";

/** A file of the plugin by its path below the sources, with the files below them that it imports. */
export interface LayerFile extends SourceFile {
  readonly imports: readonly string[];
}

/** The page with the table of these sources, or of the present ones. */
export function withLayers(page: string, files?: readonly LayerFile[]): string;

/** A row for each layer. */
export function layersTable(files: readonly LayerFile[]): string;

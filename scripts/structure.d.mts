// Types of structure.mjs.

/** A source file with what its opening comment says of it and of its folder. */
export interface SourceFile {
  /** From the repository's root. */
  readonly path: string;
  readonly file: string | null;
  readonly folder: string | null;
}

/** Every file that the map covers, with its comment. */
export function sourceFiles(): readonly SourceFile[];

/** What is wrong with the files' comments, a sentence each. */
export function commentFaults(files: readonly SourceFile[]): readonly string[];

/** STRUCTURE.md as it should be. */
export function structureDocument(files: readonly SourceFile[]): string;

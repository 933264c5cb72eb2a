// Types of size.mjs.

export interface Size {
  readonly statements: number;
  readonly functions: number;
  readonly exports: number;
  readonly types: number;
  readonly lines: number;
}

/** The size of each file of a folder, and of those below it, as one sum. */
export function sizeOfFolder(folder: string): Size & { readonly files: number };

/** Of one file's text. */
export function measureSize(text: string, name: string): Size;

/** One line for people. */
export function sizeLine(folder: string): string;

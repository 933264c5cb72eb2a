declare module "istanbul-lib-instrument" {
  export interface Position {
    readonly line: number | undefined;
    readonly column: number | undefined;
  }

  export interface Range {
    readonly start: Position;
    readonly end: Position;
  }

  /** Counters by id, and where each id stands. */
  export interface FileCoverage {
    readonly path: string;
    readonly statementMap: Readonly<Record<string, Range>>;
    readonly fnMap: Readonly<Record<string, { readonly name: string; readonly loc: Range }>>;
    readonly branchMap: Readonly<
      Record<
        string,
        { readonly type: string; readonly loc: Range; readonly locations: readonly Range[] }
      >
    >;
    readonly s: Readonly<Record<string, number>>;
    readonly f: Readonly<Record<string, number>>;
    readonly b: Readonly<Record<string, readonly number[]>>;
  }

  export interface Instrumenter {
    instrumentSync(code: string, filename: string): string;
    /** Of the file instrumented last: all counters at zero. */
    lastFileCoverage(): FileCoverage;
  }

  export function createInstrumenter(options: {
    readonly esModules: boolean;
    readonly parserPlugins: readonly string[];
  }): Instrumenter;
}

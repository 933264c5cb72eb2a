import { createTransactionScopes, type Driver, type OpenDriver } from "../../src/storage/driver.ts";

/** One storage call that goes wrong. BEGIN, COMMIT, SAVEPOINT and ROLLBACK are calls too. */
export interface Fault {
  /** Which call, counted from 1 since the plan was armed. */
  readonly atCall: number;
  /** Whether the call's own work has been done when it throws. */
  readonly strikes: "before" | "after";
  /** `works`: later calls succeed. `dead`: they all fail, as if the process had crashed. */
  readonly afterwards: "works" | "dead";
  readonly error: Error;
}

/** Counts the calls of the drivers it is given to, and lets the armed one fail. */
export class FaultPlan {
  #fault: Fault | null = null;
  #calls = 0;

  /** Calls since the plan was made, armed or disarmed. */
  get calls(): number {
    return this.#calls;
  }

  arm(fault: Fault): void {
    this.#fault = fault;
    this.#calls = 0;
  }

  disarm(): void {
    this.#fault = null;
    this.#calls = 0;
  }

  run<T>(call: () => T): T {
    this.#calls += 1;
    const fault = this.#fault;
    if (!fault || this.#calls < fault.atCall) return call();
    if (this.#calls > fault.atCall) {
      if (fault.afterwards === "dead") throw fault.error;
      return call();
    }
    if (fault.strikes === "after") call();
    throw fault.error;
  }
}

/** The driver with the plan's fault. `close` always works: the end of a process closes files too. */
export function withFaults(driver: Driver, plan: FaultPlan): Driver {
  const exec = (sql: string) => plan.run(() => driver.exec(sql));
  return {
    name: driver.name,
    exec,
    run: (sql, ...binds) => plan.run(() => driver.run(sql, ...binds)),
    get: (sql, ...binds) => plan.run(() => driver.get(sql, ...binds)),
    all: (sql, ...binds) => plan.run(() => driver.all(sql, ...binds)),
    erase: (sql, ...binds) => plan.run(() => driver.erase(sql, ...binds)),
    ...createTransactionScopes(exec),
    close: () => driver.close(),
  };
}

/** For `openRuntimeDatabaseWith`. */
export function openWithFaults(openDriver: OpenDriver, plan: FaultPlan): OpenDriver {
  return (path) => withFaults(openDriver(path), plan);
}

const RESULT_CODES = {
  SQLITE_ERROR: 1,
  SQLITE_BUSY: 5,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
} as const;

/** An error as bun:sqlite throws it. */
export function sqliteError(code: keyof typeof RESULT_CODES): Error {
  const error = new Error(`${code}, made by a test`);
  return Object.assign(error, { name: "SQLiteError", code, errno: RESULT_CODES[code] });
}

/** Whether it is a plan's crash, or a StorageError over one: that has words of its own. */
export function isCrash(error: unknown): boolean {
  const thrown = error instanceof Error ? (error.cause ?? error) : error;
  return /crash (?:before|after) call/.test(String(thrown));
}

/** Calls `run` for every fault that can strike `calls` calls, the process dead after it. */
export function forEachCrash(calls: number, run: (fault: Fault) => void): void {
  for (let atCall = 1; atCall <= calls; atCall += 1) {
    for (const strikes of ["before", "after"] as const) {
      run({
        atCall,
        strikes,
        afterwards: "dead",
        error: new Error(`crash ${strikes} call ${atCall}`),
      });
    }
  }
}

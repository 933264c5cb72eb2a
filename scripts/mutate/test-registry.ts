// Stands in for `bun:test` where one process runs tests again and again, each time with another mutant.
type Body = (...args: never[]) => unknown;

interface Group {
  readonly parent: Group | null;
  readonly hooks: Record<"beforeAll" | "beforeEach" | "afterEach", Body[]>;
  prepared: boolean;
}

export interface RegisteredTest {
  /** The file, and the test's number in it. */
  readonly id: string;
  readonly file: string;
  readonly run: () => Promise<void>;
}

export const registered: RegisteredTest[] = [];

let file = "";
let numberInFile = 0;
let current = newGroup(null);

/** What is registered from now on belongs to this file. */
export function beginFile(path: string): void {
  file = path;
  numberInFile = 0;
  current = newGroup(null);
}

/** Runs what has to run once, of the groups that a test is in: no mutant may be active. */
const preparations = new Map<string, () => Promise<void>>();

export async function prepare({ id }: RegisteredTest): Promise<void> {
  await preparations.get(id)?.();
}

function newGroup(parent: Group | null): Group {
  return { parent, hooks: { beforeAll: [], beforeEach: [], afterEach: [] }, prepared: false };
}

function listAncestors(group: Group): readonly Group[] {
  return group.parent === null ? [group] : [...listAncestors(group.parent), group];
}

async function runAll(bodies: readonly Body[]): Promise<void> {
  for (const body of bodies) await body();
}

function register(_name: unknown, body: Body | undefined): void {
  if (typeof body !== "function") return;
  const chain = listAncestors(current);
  const id = `${file}#${numberInFile++}`;
  preparations.set(id, async () => {
    for (const group of chain.filter(({ prepared }) => !prepared)) {
      group.prepared = true;
      await runAll(group.hooks.beforeAll);
    }
  });
  const run = async () => {
    try {
      await runAll(chain.flatMap(({ hooks }) => hooks.beforeEach));
      await body();
    } finally {
      await runAll(chain.toReversed().flatMap(({ hooks }) => hooks.afterEach));
    }
  };
  registered.push({ id, file, run });
}

function group(_name: unknown, body: Body): void {
  const outer = current;
  current = newGroup(outer);
  body();
  current = outer;
}

type Add = (name: unknown, body: Body) => void;

// Not named "declare": Bun 1.3.14 drops a statement that begins with that word.
function createEach(add: Add) {
  return (rows: readonly unknown[]) => (name: unknown, body: Body) => {
    for (const row of rows) {
      const args = (Array.isArray(row) ? row : [row]) as never[];
      add(name, () => body(...args));
    }
  };
}

const nothing = () => undefined;

function withVariants(add: Add) {
  return Object.assign(add, {
    each: createEach(add),
    skip: nothing,
    todo: nothing,
    if: (wanted: unknown) => (wanted ? add : nothing),
    skipIf: (unwanted: unknown) => (unwanted ? nothing : add),
  });
}

export const test = withVariants(register);
export const it = test;
export const describe = withVariants(group);
export const beforeAll = (body: Body) => current.hooks.beforeAll.push(body);
export const beforeEach = (body: Body) => current.hooks.beforeEach.push(body);
export const afterEach = (body: Body) => current.hooks.afterEach.push(body);
/** What tests leave on disk goes with the process and its scratch folder. */
export const afterAll = nothing;
export const setDefaultTimeout = nothing;
export { expect, jest, mock, setSystemTime, spyOn, vi } from "bun:test";

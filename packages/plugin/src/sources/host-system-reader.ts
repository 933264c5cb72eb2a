// Reads system strings; an unchanged one is not parsed again.
import { type HostSystem, type HostSystemQuery, parseHostSystem } from "./host-system.ts";

interface Reading {
  readonly text: string;
  readonly query: HostSystemQuery;
  readonly system: HostSystem | null;
}

/** Reads the host's system strings; one that says the same to the same query is not read again. */
export class HostSystemReader {
  #last: Reading | null = null;

  read(text: string, query: HostSystemQuery): HostSystem | null {
    const last = this.#last;
    if (last && last.text === text && sameQuery(last.query, query)) return last.system;
    const system = parseHostSystem(text, query);
    this.#last = { text, query, system };
    return system;
  }
}

function sameQuery(left: HostSystemQuery, right: HostSystemQuery): boolean {
  const names = Object.keys(left) as (keyof HostSystemQuery)[];
  return names.every((name) => left[name] === right[name]);
}

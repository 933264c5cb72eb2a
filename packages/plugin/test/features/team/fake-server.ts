// A team's server in memory: what PostgreSQL does for it, without the network.

import type { Item } from "../../../src/features/team/item.ts";
import type { LocalCopy, Membership } from "../../../src/features/team/local-copy.ts";
import { areSameItems } from "../../../src/features/team/local-rows.ts";
import { type ItemRows, mergeAllItems } from "../../../src/features/team/merge.ts";
import type { ProjectId } from "../../../src/project/project.ts";

export class FakeServer {
  #items: ItemRows = new Map();
  readonly #numbers = new Map<string, number>();
  readonly #changes = new Set<string>();
  readonly #places = new Map<ProjectId, Membership>();
  #last = 0;

  /** One round for one project. */
  meet(copy: LocalCopy, project: ProjectId): void {
    this.#send(copy, project);
    this.#receive(copy, project);
    this.#send(copy, project);
  }

  /** Takes before it sends, as `memory pull` does. */
  pull(copy: LocalCopy, project: ProjectId): void {
    this.#receive(copy, project);
  }

  /** One round for all projects, and their places. */
  meetAll(copy: LocalCopy): void {
    for (const { id } of copy.projects()) this.#send(copy, id);
    const own = copy.projects().map(({ id }) => id);
    const workspaces = new Set(own.map((id) => this.#places.get(id)?.workspace ?? null));
    workspaces.delete(null);
    const places = [...this.#places.values()].filter(
      ({ id, workspace }) => own.includes(id) || workspaces.has(workspace),
    );
    copy.place(places, 1);
    for (const { id } of copy.projects()) this.meet(copy, id);
  }

  texts(): readonly string[] {
    return [...this.#items.values()].flatMap((item) => ("text" in item ? [item.text] : []));
  }

  findMember(text: string): string | null {
    const found = [...this.#items.values()].find((item) => "text" in item && item.text === text);
    return found?.member ?? null;
  }

  #send(copy: LocalCopy, project: ProjectId): void {
    for (;;) {
      const { rows, changes, membership } = copy.batch(project, 3);
      if (rows.length === 0) return;
      const items = changes
        .filter(({ changeId }) => !this.#changes.has(changeId))
        .map(({ item }) => item);
      for (const { changeId } of changes) this.#changes.add(changeId);
      this.#take(items);
      if (membership !== null) this.#places.set(membership.id, membership);
      copy.sent(rows);
    }
  }

  #take(items: readonly Item[]): void {
    const merged = mergeAllItems(this.#items, items);
    for (const item of merged.values()) {
      if (areSameItems(this.#items.get(item.id), item)) continue;
      this.#last += 1;
      this.#numbers.set(item.id, this.#last);
    }
    this.#items = merged;
  }

  #receive(copy: LocalCopy, project: ProjectId): void {
    const cursor = copy.projects().find(({ id }) => id === project)?.cursor ?? 0;
    const items = [...this.#items.values()]
      .filter((item) => item.project === project && (this.#numbers.get(item.id) ?? 0) > cursor)
      .toSorted((one, other) => this.#findRevision(one) - this.#findRevision(other));
    // Page by page, each with what supersedes its rows.
    for (let from = 0; from < items.length; from += 4) {
      const page = items.slice(from, from + 4);
      const whole = new Set(page);
      for (const item of whole) {
        if (item.kind !== "memory" || item.state.kind !== "superseded") continue;
        const successor = this.#items.get(item.state.by);
        if (successor) whole.add(successor);
      }
      copy.receive(project, [...whole], Math.max(...page.map((item) => this.#findRevision(item))));
    }
  }

  #findRevision({ id }: Item): number {
    return this.#numbers.get(id) ?? 0;
  }
}

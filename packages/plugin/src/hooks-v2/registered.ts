// Registers items with the host one by one: if it refuses an item or has no method for it, only that item is
// left out.
import { MissingHostMethodError } from "../runtime/guard.ts";
import type { Registration } from "./context.ts";

interface ItemEditor<Item> {
  add?(item: Item): unknown;
}

/** A domain of the host to which plugins add items. */
interface Domain<Item> {
  transform?(edit: (editor: ItemEditor<Item>) => void): unknown;
}

/** Reports a missing registration under its name. */
type ReportMissing = (where: string, error: unknown) => void;

export class Registrations {
  readonly #made: Registration[] = [];

  /** `leftOut` is called for each item that could not be registered. */
  constructor(private readonly leftOut: ReportMissing) {}

  async registerHook(where: string, register: () => Promise<Registration>): Promise<void> {
    try {
      this.#made.push(await register());
    } catch (error) {
      this.leftOut(where, error);
    }
  }

  /**
   * Registers items in a callback that the host runs when it is ready, and again at each reload. If the
   * callback throws, an early host stops its sessions, and a later one disables the whole plugin.
   */
  async registerItems<Item>(
    where: string,
    domain: Domain<Item> | undefined,
    items: readonly Item[],
  ): Promise<void> {
    if (items.length === 0) return;
    if (typeof domain?.transform !== "function") {
      this.leftOut(where, new MissingHostMethodError(where));
      return;
    }
    try {
      const made: unknown = await domain.transform((editor) => this.#add(where, editor, items));
      if (isRegistration(made)) this.#made.push(made);
    } catch (error) {
      this.leftOut(where, error);
    }
  }

  #add<Item>(where: string, editor: ItemEditor<Item>, items: readonly Item[]): void {
    if (typeof editor?.add !== "function") {
      this.leftOut(where, new MissingHostMethodError(where));
      return;
    }
    for (const item of items) {
      try {
        editor.add(item);
      } catch (error) {
        this.leftOut(where, error);
      }
    }
  }

  /** Removes what was registered; the host itself drops what can't be removed. */
  async dispose(): Promise<void> {
    await Promise.allSettled(this.#made.map(async (one) => one.dispose()));
  }
}

function isRegistration(made: unknown): made is Registration {
  return (
    typeof made === "object" && made !== null && typeof Reflect.get(made, "dispose") === "function"
  );
}

// Registers with the host one thing at a time: what it refuses, or has no method for, is left out alone.
import { MissingHostMethodError } from "../runtime/guard.ts";
import type { Registration } from "./context.ts";

interface ItemEditor<Item> {
  add?(item: Item): unknown;
}

/** A domain of the host's with items that plugins add to. */
interface Domain<Item> {
  transform?(edit: (editor: ItemEditor<Item>) => void): unknown;
}

/** What was registered under one name, as reports call it. */
type ReportMissing = (where: string, error: unknown) => void;

export class Registrations {
  readonly #made: Registration[] = [];

  /** `leftOut` hears of each thing that could not be registered. */
  constructor(private readonly leftOut: ReportMissing) {}

  async hook(where: string, register: () => Promise<Registration>): Promise<void> {
    try {
      this.#made.push(await register());
    } catch (error) {
      this.leftOut(where, error);
    }
  }

  /**
   * The callback runs when the host gets to it, and again at each of its reloads. One that throws stops an
   * early host's sessions, and disables the whole plugin on a later one.
   */
  async items<Item>(
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

  /** The host itself lets go of what can't be taken back. */
  async dispose(): Promise<void> {
    await Promise.allSettled(this.#made.map(async (one) => one.dispose()));
  }
}

function isRegistration(made: unknown): made is Registration {
  return (
    typeof made === "object" && made !== null && typeof Reflect.get(made, "dispose") === "function"
  );
}

// The present name of a command that a user has called by its former one.
import type { Notices } from "../log/notices.ts";
import { commandRenamed, renamedNotice } from "../status/notices.ts";

/** Knows the former names of commands, and reports where one is used. */
export class CommandNames {
  constructor(
    /** Each with the name now. */
    readonly former: ReadonlyMap<string, string>,
    private readonly notices: Pick<Notices, "notice" | "over">,
  ) {}

  /** The present name of what the user has called. */
  resolve(called: string): string {
    const now = this.former.get(called);
    if (now === undefined) {
      this.notices.over(renamedNotice(called));
      return called;
    }
    this.notices.notice(commandRenamed(called, now));
    return now;
  }
}

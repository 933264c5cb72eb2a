// Notifies the user of jobs that fail repeatedly, until one of them succeeds.
import { type Breaker, DAY_MS, type JobSource } from "../jobs/plan.ts";
import { asInstalled } from "../log/command-line.ts";
import type { Notices } from "../log/notices.ts";

/** Reports breakers until each open one has closed. */
export class OpenBreakers {
  readonly #reported = new Map<string, { readonly codes: Set<string>; readonly of: Set<string> }>();

  constructor(private readonly notices: Pick<Notices, "notice" | "over">) {}

  /**
   * Reports each kind of job once a day: when a provider is down, each session's notice would say the same.
   */
  opened({ kind, sessionId }: JobSource, { code: why, failures, openUntilMs }: Breaker): void {
    const code = `jobs_breaker:${kind}:${Math.floor(openUntilMs / DAY_MS)}`;
    const { codes, of } = this.#reported.get(kind) ?? { codes: new Set(), of: new Set() };
    this.#reported.set(kind, { codes: codes.add(code), of: of.add(sessionId ?? "") });
    this.notices.notice({
      code,
      severity: "warning",
      ends: "by over",
      message: `Background jobs of the kind "${kind}" have failed ${failures} times in a row (${why}); the next is tried in an hour. Other jobs and your sessions run as before.`,
      remedy: `\`${asInstalled("jobs")}\` says why, and \`${asInstalled("jobs retry")}\` starts one again.`,
    });
  }

  /** Ends the warning, which covers all breakers of the kind, once none is open: one may outlast another. */
  closed({ kind, sessionId }: JobSource): void {
    const reported = this.#reported.get(kind);
    if (!reported?.of.delete(sessionId ?? "") || reported.of.size > 0) return;
    this.#reported.delete(kind);
    for (const code of reported.codes) this.notices.over(code);
  }
}

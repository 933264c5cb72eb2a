// What a terminal UI knows: the link to its server, the session's status.
import type { PanelStatus } from "../status/panel.ts";

/** What a terminal UI knows of the server that it is attached to. */
export type Link =
  /** Nobody has answered yet, and it is too early to say that nobody will. */
  | { readonly kind: "searching" }
  /** The server's plugin does not answer: it is not there, or of a version without a channel. */
  | { readonly kind: "absent" }
  /** It answers, and its address is not on this machine. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "unusable"; readonly reason: string }
  | { readonly kind: "linked" }
  /** It was there, and is looked for again. */
  | { readonly kind: "lost" };

/** All that is shown of a session; `status` is the last that is known of it, also while the link is down. */
export interface ViewState {
  readonly link: Link;
  readonly status: PanelStatus | null;
}

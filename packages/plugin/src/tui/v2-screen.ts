// The panel, answers and notices in the terminal UI of OpenCode 2, over the host's rpc. Never run on a stable 2.x.
import type { PanelStatus } from "../status/panel.ts";
import { SCREEN_RPC } from "../status/screen-rpc.ts";
import { makeLinesVisible } from "../status/wording.ts";
import { toPlainText } from "./line.ts";
import { renderPanelLines } from "./view.ts";

/** The panel's columns, as in the sidebar of OpenCode 1.18; the sidebar of OpenCode 2 was not measured. */
const SIDEBAR_COLUMNS = 37;

/** The part of the host's client that our contract uses. */
interface ScreenClient {
  status(of: { readonly sessionID: string }): Promise<unknown>;
  readonly events: {
    /** Subscribes to an event. Returns a function that unsubscribes. */
    on(name: keyof typeof SCREEN_RPC.events, heard: (event: unknown) => void): () => void;
  };
}

/** The part of the terminal UI's context that is used (read in the source of 2.0.26). */
export interface V2TuiContext {
  readonly client: { rpc(contract: typeof SCREEN_RPC): ScreenClient };
  readonly ui: {
    slot(claim: {
      readonly append: "sidebar.content";
      readonly render: (input: { readonly sessionID: string }) => unknown;
    }): () => void;
    readonly toast: { show(toast: Toast): void };
    readonly dialog: {
      alert(shown: { readonly title: string; readonly message: string }): Promise<void>;
    };
  };
}

interface Toast {
  readonly title: string;
  readonly message: string;
  readonly variant: "info" | "warning" | "error";
}

/** A text on screen, which shows what is assigned to it. */
export interface ShownText {
  content: string;
  visible: boolean;
}

interface ScreenParts {
  readonly newText: () => ShownText;
  /** Calls `end` when the text that is being made leaves the screen. */
  readonly whenGone: (end: () => void) => void;
  readonly nowMs: () => number;
}

/** Says whether the host is OpenCode 2. An older host may call this part's `setup` too, but has no slots. */
export function isV2Tui(ctx: unknown): ctx is V2TuiContext {
  const slot: unknown = readField(readField(ctx, "ui"), "slot");
  return (
    typeof slot === "function" && typeof readField(readField(ctx, "client"), "rpc") === "function"
  );
}

/** Shows the panel, answers and notices; returns a function that removes all of them. */
export function showScreen({ client, ui }: V2TuiContext, parts: ScreenParts): () => void {
  const rpc = client.rpc(SCREEN_RPC);
  const ends = [
    rpc.events.on("noticed", (event) => {
      const variant = toToastVariant(readTextField(event, "severity"));
      ui.toast.show({ title: "Session Runtime", message: readTextField(event, "text"), variant });
    }),
    rpc.events.on("answered", (event) => {
      const [command, text] = [readTextField(event, "command"), readTextField(event, "text")];
      void ui.dialog.alert({ title: `/${command}`, message: text });
    }),
    ui.slot({
      append: "sidebar.content",
      render: ({ sessionID }) => createSidebarText(rpc, sessionID, parts),
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function createSidebarText(
  rpc: ScreenClient,
  sessionID: string,
  { newText, whenGone, nowMs }: ScreenParts,
): ShownText {
  const text = newText();
  const draw = async () => {
    const status = parsePanel(await rpc.status({ sessionID }));
    const lines = renderPanelLines({ link: { kind: "linked" }, status }, nowMs(), SIDEBAR_COLUMNS);
    text.content = lines.map(toPlainText).join("\n");
    text.visible = status !== null;
  };
  // If the server is away, what was shown stays.
  const drawSafely = () => void draw().catch(() => null);
  const end = rpc.events.on("changed", (event) => {
    if (readTextField(event, "sessionID") === sessionID) drawSafely();
  });
  whenGone(end);
  drawSafely();
  return text;
}

/** Parses the panel's status; null if the server's part has nothing of the session yet. */
function parsePanel(answer: unknown): PanelStatus | null {
  const panel = readField(answer, "panel");
  return typeof panel === "string" ? JSON.parse(panel) : null;
}

/** Reads a text field of an event, whether it comes as its data alone or within an envelope. */
function readTextField(event: unknown, name: string): string {
  const value = readField(readField(event, "data") ?? event, name);
  return typeof value === "string" ? makeLinesVisible(value) : "";
}

function toToastVariant(text: string): Toast["variant"] {
  return text === "warning" || text === "error" ? text : "info";
}

/** Reads a field; undefined if the value has no field of that name. */
function readField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

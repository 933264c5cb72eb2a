// The panel, answers and notices in the terminal UI of OpenCode 2, over the host's rpc. Never run on a stable 2.x.
import type { PanelStatus } from "../status/panel.ts";
import { SCREEN_RPC } from "../status/screen-rpc.ts";
import { makeLinesVisible } from "../status/wording.ts";
import { toPlainText } from "./line.ts";
import { panelLines } from "./view.ts";

/** The sidebar of OpenCode 1.18 has as many for a panel; that of 2 was not measured. */
const SIDEBAR_COLUMNS = 37;

/** The part of the host's client that our contract uses. */
interface ScreenClient {
  status(of: { readonly sessionID: string }): Promise<unknown>;
  readonly events: {
    /** Gives back what ends it. */
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

/** A text on screen: what is assigned is shown. */
export interface ShownText {
  content: string;
  visible: boolean;
}

interface ScreenParts {
  readonly newText: () => ShownText;
  /** Called when the text that is being made leaves the screen. */
  readonly whenGone: (end: () => void) => void;
  readonly nowMs: () => number;
}

/** A host before 2 may call this part's `setup`, too, and has no slots there. */
export function isV2Tui(ctx: unknown): ctx is V2TuiContext {
  const slot: unknown = readOwnField(readOwnField(ctx, "ui"), "slot");
  return (
    typeof slot === "function" &&
    typeof readOwnField(readOwnField(ctx, "client"), "rpc") === "function"
  );
}

/** Gives back what takes all of it away. */
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
      render: ({ sessionID }) => sidebarText(rpc, sessionID, parts),
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function sidebarText(
  rpc: ScreenClient,
  sessionID: string,
  { newText, whenGone, nowMs }: ScreenParts,
): ShownText {
  const text = newText();
  const draw = async () => {
    const status = parsePanel(await rpc.status({ sessionID }));
    const lines = panelLines({ link: { kind: "linked" }, status }, nowMs(), SIDEBAR_COLUMNS);
    text.content = lines.map(toPlainText).join("\n");
    text.visible = status !== null;
  };
  // A server that is away leaves what was shown.
  const drawSafely = () => void draw().catch(() => null);
  const end = rpc.events.on("changed", (event) => {
    if (readTextField(event, "sessionID") === sessionID) drawSafely();
  });
  whenGone(end);
  drawSafely();
  return text;
}

/** Returns null when the server's part has nothing of the session yet. */
function parsePanel(answer: unknown): PanelStatus | null {
  const panel = readOwnField(answer, "panel");
  return typeof panel === "string" ? JSON.parse(panel) : null;
}

/** Reads a text field of an event, whether it comes as its data alone or within an envelope. */
function readTextField(event: unknown, name: string): string {
  const value = readOwnField(readOwnField(event, "data") ?? event, name);
  return typeof value === "string" ? makeLinesVisible(value) : "";
}

function toToastVariant(text: string): Toast["variant"] {
  return text === "warning" || text === "error" ? text : "info";
}

/** Returns undefined where the value has no field of that name. */
function readOwnField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

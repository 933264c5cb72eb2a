// Keeps what is on screen in step with the server.
import { appendFileSync } from "node:fs";
import type { TuiPluginApi } from "@opencode-ai/plugin/tui";
import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import type { PanelStatus } from "../status/panel.ts";
import { makeVisible } from "../status/wording.ts";
import { readPathEnvironment } from "../storage/location.ts";
import { readAddressFile, resolveChannelFolder } from "../tui-server/address-file.ts";
import { type ChannelClient, createChannelClient } from "../tui-server/client.ts";
import { formatGreeting, type GreeterId, parseAnnouncement } from "../tui-server/protocol.ts";
import { ServerLink } from "./link.ts";
import { SessionWatch } from "./session-watch.ts";
import { listToasts } from "./toasts.ts";
import type { LinkState, ViewState } from "./view.ts";

/** The values on screen, which signal when they change. */
export interface ScreenState {
  /** The session that the terminal UI shows; null if it shows none. */
  readonly sessionId: Accessor<string | null>;
  readonly view: Accessor<ViewState>;
  /** The client; null while no server is linked. */
  readonly client: Accessor<ChannelClient | null>;
  /** Milliseconds since 1970; advances from time to time, for texts like "2 min ago". */
  readonly nowMs: Accessor<number>;
}

const CLOCK_STEP_MS = 20_000;

/** Keeps what is shown in step with the server, until the owner of this reactive scope is disposed. */
export function createScreenState(api: TuiPluginApi): ScreenState {
  const [link, setLink] = createSignal<LinkState>({ kind: "searching" });
  const [client, setClient] = createSignal<ChannelClient | null>(null);
  const [status, setStatus] = createSignal<PanelStatus | null>(null);
  const sessionId = createMemo(() => findSessionId(api.route.current));
  const toaster = createToaster(api);
  const me = crypto.randomUUID().replaceAll("-", "") as GreeterId;
  const server = new ServerLink({
    greet: () => announceUi(api, me),
    find: (id) => readAddressFile(resolveChannelFolder(readPathEnvironment()), id),
    connect: createChannelClient,
    later: (work, delayMs) => {
      const timer = setTimeout(work, delayMs);
      return () => clearTimeout(timer);
    },
    notifyChange(next, to) {
      if (next.kind === "linked") toaster.begin();
      setLink(next);
      setClient(() => to);
    },
  });
  api.event.on("tui.command.execute", ({ properties }) => {
    const id = parseAnnouncement(properties.command, me);
    if (id) server.onAnnounced(id);
  });
  api.event.on("server.connected", () => server.onServerConnected());
  createEffect(() => {
    const [id, to] = [sessionId(), client()];
    if (id === null || to === null) return;
    const onStatus = (next: PanelStatus) =>
      runWithTiming("update", () => {
        toaster.tell(next);
        setStatus(next);
      });
    const watch = new SessionWatch({
      client: to,
      sessionId: id,
      read: onStatus,
      broken: () => server.onBroken(),
    });
    watch.start();
    onCleanup(() => watch.close());
  });
  onCleanup(() => server.close());
  server.start();
  const view = createMemo((): ViewState => {
    const known = status();
    return { link: link(), status: known?.sessionId === sessionId() ? known : null };
  });
  return { sessionId, view, client, nowMs: createClock(status) };
}

/**
 * Builds the toaster. After `begin`, the next status counts as the first one of a server, of which toasts may
 * have been missed.
 */
function createToaster(api: TuiPluginApi) {
  const shown = new Set<string>();
  let former: PanelStatus | null = null;
  api.event.on("tui.toast.show", ({ properties }) => shown.add(properties.message));
  return {
    begin() {
      former = null;
    },
    tell(next: PanelStatus) {
      for (const toast of listToasts({ former, shown }, next)) {
        api.ui.toast({ ...toast, message: makeVisible(toast.message), title: "Session Runtime" });
        shown.add(toast.message);
      }
      former = next;
    },
  };
}

/**
 * Builds a clock that advances by itself, and with every status to the moment at which the status was made.
 */
function createClock(status: Accessor<PanelStatus | null>): Accessor<number> {
  const [tick, setTick] = createSignal(Date.now());
  const timer = setInterval(() => setTick(Date.now()), CLOCK_STEP_MS);
  onCleanup(() => clearInterval(timer));
  return createMemo(() => Math.max(tick(), status()?.atMs ?? 0));
}

function findSessionId(route: TuiPluginApi["route"]["current"]): string | null {
  const id = route.name === "session" ? route.params?.sessionID : null;
  return typeof id === "string" ? id : null;
}

function announceUi(api: TuiPluginApi, me: GreeterId): void {
  api.client.tui
    .publish({ body: { type: "tui.command.execute", properties: { command: formatGreeting(me) } } })
    // A host that is away does not hear the greeting, and is greeted again later.
    .catch(() => null);
}

/** The benchmark's file, which receives the time of each update; undefined outside of the benchmark. */
const benchmarkFile =
  process.env.SESSION_RUNTIME_TEST === "1" ? process.env.SESSION_RUNTIME_TEST_TUI : undefined;

/** Does the work; in the benchmark, also writes down how long it took. */
function runWithTiming<Result>(what: string, work: () => Result): Result {
  if (benchmarkFile === undefined) return work();
  const since = performance.now();
  const result = work();
  appendFileSync(benchmarkFile, `${JSON.stringify({ what, ms: performance.now() - since })}\n`);
  return result;
}

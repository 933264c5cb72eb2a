import { Inbox } from "../../../src/features/inbox/inbox.ts";
import {
  HostIds,
  type InboxDeps,
  selectInboxStores,
} from "../../../src/features/inbox/inbox-deps.ts";
import type { decide } from "../../../src/features/inbox/plan.ts";
import type { InputRecord } from "../../../src/features/inbox/records.ts";
import type { OpenDriver } from "../../../src/storage/driver.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { session } from "../../storage/records.ts";
import type { Workspace } from "../../storage/workspace.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeHost } from "./fake-host.ts";

/** One inbox over a real database, before a host of one session. */
export interface Stage {
  readonly inbox: Inbox;
  readonly host: FakeHost;
  readonly clock: FakeClock;
  readonly path: string;
  readonly told: string[];
  readonly failures: string[];
  /** Lets all go on for so long that nothing is left to happen. */
  rest(): Promise<void>;
  rows(): readonly InputRecord[];
  states(): readonly string[];
  /** The end of the process: its connection goes, whatever was going on. */
  close(): void;
}

export interface StageSettings {
  readonly path: string;
  readonly host: FakeHost;
  readonly clock: FakeClock;
  readonly openDriver: OpenDriver;
  readonly deps: Partial<InboxDeps>;
  /** Sees what this process does. */
  readonly witness: Witness;
}

/** Stands between an inbox and what it is built on, what it decides and who calls it. */
export interface Witness {
  readonly ports: (deps: InboxDeps) => InboxDeps;
  readonly decide: typeof decide;
  readonly watch: (inbox: Inbox) => void;
}

let owners = 0;

export function openStage(workspace: Workspace, settings: Partial<StageSettings> = {}): Stage {
  const path = settings.path ?? workspace.path();
  const clock = settings.clock ?? new FakeClock();
  const host = settings.host ?? new FakeHost(session);
  const database = workspace.open(path, settings.openDriver ?? openBunDriver);
  const told: string[] = [];
  const failures: string[] = [];
  owners += 1;
  let random = owners * 1_000;
  const inboxDeps: InboxDeps = {
    ensure: async () => undefined,
    worked: () => undefined,
    database: () => selectInboxStores(database),
    host,
    directory: "/project",
    ids: new HostIds({
      now: clock.now,
      random: (bytes) => {
        random += 1;
        bytes.fill(random % 251);
        bytes[0] = random % 61;
        bytes[1] = (random >> 6) % 61;
      },
    }),
    owner: `owner-${owners}`,
    isProcessDead: () => false,
    recovery: "ask",
    missingSources: async () => [],
    now: clock.now,
    later: clock.later,
    traced: async (_sessionId, look) => void (await look()),
    notify: (_sessionId, text) => told.push(text),
    failed: (where, error) => {
      failures.push(`${where}: ${String(error)}`);
      host.failed(error);
    },
    ...settings.deps,
  };
  const { witness } = settings;
  const inbox = new Inbox(witness?.ports(inboxDeps) ?? inboxDeps, witness?.decide);
  witness?.watch(inbox);
  host.inbox = inbox;
  host.process = "up";
  const rows = () => {
    const reader = openBunDriver(path);
    const found = reader.all(
      "SELECT id, delivery, state, message_id FROM session_input ORDER BY rank",
    );
    reader.close();
    return found as unknown as readonly InputRecord[];
  };
  return {
    inbox,
    host,
    clock,
    path,
    told,
    failures,
    rest: () => clock.pass(60_000),
    rows,
    states: () => rows().map(({ state }) => state),
    close: () => database.close(),
  };
}

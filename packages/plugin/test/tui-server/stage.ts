import { afterEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChannelContent } from "../../src/feature-api/screen.ts";
import { readAddressFile } from "../../src/tui-server/address-file.ts";
import { type Channel, openChannel } from "../../src/tui-server/channel.ts";
import type { ChannelAddress } from "../../src/tui-server/protocol.ts";

export const SESSION = "ses_one";

export const content: ChannelContent = {
  opened: () => undefined,
  status: async (sessionId) => ({ sessionId, epoch: null }),
  report: async ({ report, sessionId }) => ({ text: `${report} of ${sessionId}` }),
  queue: async () => ({
    activity: "busy",
    waiting: [{ id: "a", text: "Go", files: 0 }],
    length: 1,
  }),
};

export interface OpenedChannel {
  readonly channel: Channel;
  readonly address: ChannelAddress;
  readonly folder: string;
  readonly failures: readonly unknown[];
}

/** Channels and folders of one test file; all gone after each test. */
export class ChannelStage {
  readonly #open: OpenedChannel[] = [];
  readonly #folders: string[] = [];

  constructor() {
    afterEach(() => {
      for (const { channel } of this.#open.splice(0)) channel.close();
      for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true });
    });
  }

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "session-runtime-channel-"));
    this.#folders.push(folder);
    return join(folder, "channels");
  }

  async open(shown: ChannelContent, folder = this.folder()): Promise<OpenedChannel> {
    const failures: unknown[] = [];
    const channel = await openChannel({
      folder,
      content: shown,
      isRunning: (pid) => pid === process.pid,
      failed: (error) => failures.push(error),
      worked: () => undefined,
    });
    const found = readAddressFile(folder, channel.id);
    if (found.kind !== "found") throw new Error(`no address: ${found.kind}`);
    const opened = { channel, address: found.address, folder, failures };
    this.#open.push(opened);
    return opened;
  }
}

// Opens the channel of one plugin instance: listener, address file, streams.
// Folder: The private HTTP channel between the server's plugin and terminal UIs.
import { randomBytes } from "node:crypto";
import type { ChannelContent } from "../feature-api/screen.ts";
import { removeAddress, removeStaleFiles, writeAddress } from "./address-file.ts";
import { type ChannelId, PROTOCOL_VERSION } from "./protocol.ts";
import { listen } from "./server.ts";
import { ChangeStreams } from "./streams.ts";

/** The channel through which terminal UIs of this machine read one plugin instance. */
export interface Channel {
  readonly id: ChannelId;
  /** Counts the terminal UIs that show the session. */
  watchers(sessionId: string): number;
  /** Reports that the session's status may have changed; costs nothing if nobody watches. */
  changed(sessionId: string): void;
  close(): void;
}

/** Opens a channel and writes its address down. @throws if it can't listen or write. */
export async function openChannel(deps: {
  /** The folder of the address files. */
  readonly folder: string;
  readonly content: ChannelContent;
  readonly isRunning: (pid: number) => boolean;
  readonly failed: (error: unknown) => void;
  readonly worked: () => void;
}): Promise<Channel> {
  const id = randomBytes(16).toString("hex") as ChannelId;
  const token = randomBytes(32).toString("hex");
  const streams = new ChangeStreams();
  const { content, failed, worked, folder } = deps;
  const { server, port } = await listen({ token, content, streams, failed, worked });
  const close = () => {
    streams.close();
    server.closeAllConnections();
    server.close();
    removeAddress(folder, id);
  };
  try {
    writeAddress(folder, { protocol: PROTOCOL_VERSION, id, pid: process.pid, port, token });
    removeStaleFiles(folder, deps.isRunning);
  } catch (error) {
    close();
    throw error;
  }
  return {
    id,
    watchers: (sessionId) => streams.countWatchers(sessionId),
    changed: (sessionId) => streams.scheduleChangeEvent(sessionId),
    close,
  };
}

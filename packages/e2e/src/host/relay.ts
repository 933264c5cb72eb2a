// A fixed address in front of a server that may move.
import { createConnection, createServer, type Socket } from "node:net";

/** A fixed address in front of a server that may move to another port. */
export interface Relay {
  readonly url: string;
  close(): Promise<void>;
}

/** Passes connections on to wherever `target` says at that moment. */
export async function openRelay(target: () => string): Promise<Relay> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Either side may break off; the other one learns of it by the end of its own connection.
    socket.on("error", () => socket.destroy());
    return socket;
  };
  const server = createServer((incoming) => {
    const { hostname, port } = new URL(target());
    const outgoing = keep(createConnection({ host: hostname, port: Number(port) }));
    keep(incoming).pipe(outgoing).pipe(incoming);
    incoming.on("close", () => outgoing.destroy());
    outgoing.on("close", () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the relay has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

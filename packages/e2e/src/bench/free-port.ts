// A loopback port on which nothing listens.
import { createServer } from "node:net";

/** A port of loopback that nobody listens on, at least a moment ago. */
export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.on("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : null;
    server.close(() => (port === null ? reject(new Error("no port")) : resolve(port)));
  });
  return promise;
}

import { expect, test } from "bun:test";
import { connect } from "node:net";
import type { ChannelAddress } from "../../src/tui-server/protocol.ts";
import { ChannelStage, content, SESSION } from "./stage.ts";

const stage = new ChannelStage();
const PATH = `/v2/${SESSION}/status`;

/** A request as anyone could write it: `fetch` sets Host and Origin by itself. */
function ask({ port }: ChannelAddress, method: string, path: string, headers: readonly string[]) {
  const answer = Promise.withResolvers<string>();
  let text = "";
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(
      [`${method} ${path} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n"),
    );
  });
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", answer.reject);
  socket.on("close", () => answer.resolve(text));
  return answer.promise;
}

function status(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

const host = ({ port }: ChannelAddress) => `Host: 127.0.0.1:${port}`;
const token = (address: ChannelAddress) => `Authorization: Bearer ${address.token}`;

test("a GET with the token, the exact Host and no Origin is answered", async () => {
  const { address } = await stage.open(content);
  const answer = await ask(address, "GET", PATH, [host(address), token(address)]);
  expect(status(answer)).toBe(200);
  expect(answer).toContain(`{"sessionId":"${SESSION}","epoch":null}`);
  expect(answer.toLowerCase()).toContain("cache-control: no-store");
});

test("it is refused without the token, with another one, and with one that is cut or longer", async () => {
  const { address } = await stage.open(content);
  const wrong = [
    [],
    [`Authorization: Bearer ${"0".repeat(64)}`],
    [`Authorization: Bearer ${address.token.slice(0, 63)}`],
    [`${token(address)}0`],
    [`Authorization: ${address.token}`],
  ];
  for (const headers of wrong) {
    const answer = await ask(address, "GET", PATH, [host(address), ...headers]);
    expect(status(answer)).toBe(401);
    expect(answer).not.toContain("sessionId");
  }
});

test("a Host that is a name is refused, as of a page that has rebound its own to loopback", async () => {
  const { address } = await stage.open(content);
  const hosts = [
    "localhost",
    `localhost:${address.port}`,
    "evil.example",
    `evil.example:${address.port}`,
    "127.0.0.1",
  ];
  for (const name of hosts) {
    const answer = await ask(address, "GET", PATH, [`Host: ${name}`, token(address)]);
    expect(status(answer)).toBe(403);
  }
});

test("any Origin is refused, that of loopback too, and so is what a browser says of its fetch", async () => {
  const { address } = await stage.open(content);
  const said = [
    "Origin: https://evil.example",
    "Origin: null",
    `Origin: http://127.0.0.1:${address.port}`,
    "Sec-Fetch-Site: same-origin",
  ];
  for (const header of said) {
    const answer = await ask(address, "GET", PATH, [host(address), token(address), header]);
    expect(status(answer)).toBe(403);
  }
});

test("any method but GET is refused, and a body too", async () => {
  const { address } = await stage.open(content);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    const answer = await ask(address, method, PATH, [host(address), token(address)]);
    expect(status(answer)).toBe(405);
    expect(answer.toLowerCase()).toContain("allow: get");
  }
  const withBody = [host(address), token(address), "Content-Length: 5"];
  expect(status(await ask(address, "GET", PATH, withBody))).toBe(413);
  const inPieces = [host(address), token(address), "Transfer-Encoding: chunked"];
  expect(status(await ask(address, "GET", PATH, inPieces))).toBe(413);
});

test("a path that is not one of its own is refused, with whatever stands in it", async () => {
  const { address } = await stage.open(content);
  const paths = [
    "/",
    "/v1/ses_one/status",
    "/v2/ses_one/report/CTX-STATUS",
    "/v2/ses_one/queue/1",
    "/v2/ses_one/queue?drop=1",
    "/v2/../ses_one/status",
    "/v2/ses_one'/status",
    `/v2/ses_${"x".repeat(80)}/status`,
    "/v2/ses_one/status?x=1",
  ];
  for (const path of paths) {
    const answer = await ask(address, "GET", path, [host(address), token(address)]);
    expect([path, status(answer)]).toEqual([path, 404]);
  }
});

test("headers beyond their limit are refused", async () => {
  const { address } = await stage.open(content);
  const long = `X-Long: ${"x".repeat(40_000)}`;
  const answer = await ask(address, "GET", PATH, [host(address), token(address), long]).catch(
    () => "HTTP/1.1 431 the connection was reset",
  );
  expect(status(answer)).toBe(431);
});

test("TU1: it listens on loopback alone", async () => {
  const { address } = await stage.open(content);
  const others = Object.values((await import("node:os")).networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address: name } of others) {
    const reached = await new Promise<string>((resolve) => {
      const socket = connect(address.port, name, () => resolve("reached"));
      socket.on("error", () => resolve("refused"));
    });
    expect(reached).toBe("refused");
  }
});

import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import { parseAddress } from "../../../src/features/memory/store-address.ts";
import { connect, describeProblem } from "../../../src/features/team/connection.ts";

const SSL_REQUEST = 80_877_103;
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

/** What a client says first: that it wants an encrypted line, or its parameters. */
type Greeting = "encrypt" | ReadonlyMap<string, string>;

interface Stub {
  readonly port: number;
  readonly greetings: readonly Greeting[];
}

/** A server that lets everybody in and answers no statement, or says nothing at all. */
async function stub(manner: "refuses" | "hangs up" | "says nothing"): Promise<Stub> {
  const greetings: Greeting[] = [];
  const server: NetServer = createServer((socket: Socket) => {
    cleanups.push(() => void socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.once("data", (said) => {
      if (said.readInt32BE(4) === SSL_REQUEST) {
        greetings.push("encrypt");
        if (manner === "refuses") socket.write("N");
        else socket.destroy();
        return;
      }
      const words = said.toString("utf8", 8).split("\0");
      const pairs = words.flatMap((word, at) =>
        at % 2 === 0 && word !== "" ? [[word, words[at + 1] ?? ""] as const] : [],
      );
      greetings.push(new Map(pairs));
      if (manner === "says nothing") return;
      // Authenticated, and ready.
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]));
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  cleanups.push(() => void server.close());
  const place = server.address();
  if (place === null || typeof place === "string") throw new Error("The stub has no port.");
  return { port: place.port, greetings };
}

async function connected(text: string) {
  const address = parseAddress(text);
  if (typeof address === "string") throw new Error("no address");
  return connect(address);
}

/** Every wait from now on is over at once. @returns how long they would have been, in ms */
function endedAtOnce(): readonly (number | undefined)[] {
  const waits: (number | undefined)[] = [];
  const wait = globalThis.setTimeout;
  const end = (body: () => void, ms?: number) => {
    waits.push(ms);
    return wait(body, 0);
  };
  const spy = spyOn(globalThis, "setTimeout").mockImplementation(end as typeof setTimeout);
  cleanups.push(() => spy.mockRestore());
  return waits;
}

describe("a connection", () => {
  test("begins in the clear where the address says so, with user, database and limits", async () => {
    const { port, greetings } = await stub("refuses");
    await connected(`postgres://ann%40home@127.0.0.1:${port}/the%20team?sslmode=disable`);
    expect(greetings).toHaveLength(1);
    const [first] = greetings;
    expect(first instanceof Map && Object.fromEntries(first)).toMatchObject({
      user: "ann@home",
      database: "the team",
      application_name: "session-runtime",
      statement_timeout: "20000",
      lock_timeout: "20000",
      idle_in_transaction_session_timeout: "20000",
    });
  });

  test.each(["allow", "prefer"])(
    "asks for an encrypted line with %s, and does without where there is none",
    async (mode) => {
      const { port, greetings } = await stub("refuses");
      await connected(`postgres://ann@127.0.0.1:${port}/team?sslmode=${mode}`);
      expect(greetings[0]).toBe("encrypt");
      expect(greetings[1]).toBeInstanceOf(Map);
    },
  );

  test("is not tried in the clear where the encrypted line fails for another reason", async () => {
    const { port, greetings } = await stub("hangs up");
    const tried = connected(`postgres://ann@127.0.0.1:${port}/team`);
    await expect(tried).rejects.toThrow();
    expect(greetings).toEqual(["encrypt"]);
  });

  test.each(["require", "verify-ca", "verify-full"])(
    "sends nothing in the clear with %s",
    async (mode) => {
      const { port, greetings } = await stub("refuses");
      const tried = connected(`postgres://ann:word@127.0.0.1:${port}/team?sslmode=${mode}`);
      await expect(tried).rejects.toThrow("SSL");
      expect(greetings).toEqual(["encrypt"]);
    },
  );

  test("waits five seconds for a server, and twenty for a statement's answer, and then gives up", async () => {
    const storeUrl = ({ port }: Stub) => `postgres://ann@127.0.0.1:${port}/team?sslmode=disable`;
    const [server, silent] = [await stub("refuses"), await stub("says nothing")];
    const link = await connected(storeUrl(server));
    const waits = endedAtOnce();
    await expect(link.sql`SELECT 1`).rejects.toThrow("timeout");
    expect(waits).toContain(20_000);
    await expect(connected(storeUrl(silent))).rejects.toThrow("timeout");
    expect(waits).toContain(5_000);
  });

  test("calls back when it ends, and at once if it has ended", async () => {
    const { port } = await stub("refuses");
    const link = await connected(`postgres://ann@127.0.0.1:${port}/team?sslmode=disable`);
    const first = Promise.withResolvers<void>();
    link.ended(first.resolve);
    for (const clean of cleanups.splice(0).reverse()) clean();
    await first.promise;
    let calls = 0;
    link.ended(() => {
      calls += 1;
    });
    expect(calls).toBe(1);
  });
});

describe("the reason why a server can't be used", () => {
  const failure = (message: string, code?: unknown) => Object.assign(new Error(message), { code });

  test("has the code, or the error's kind where there is none", () => {
    expect(describeProblem(failure("no such table", "42P01"))).toBe("no such table (42P01)");
    expect(describeProblem(failure("it broke", 7))).toBe("it broke (Error)");
    expect(describeProblem(new TypeError("it broke"))).toBe("it broke (TypeError)");
    expect(describeProblem(failure("", "ECONNREFUSED"))).toBe("no answer (ECONNREFUSED)");
    expect(describeProblem("it broke")).toBe("unknown error");
  });

  test("says where the rights are described, for a role that lacks them only", () => {
    expect(describeProblem(failure("permission denied", "42501"))).toEndWith(
      "(42501); docs/team.md has the rights that a member's role needs",
    );
    expect(describeProblem(failure("permission denied", "42502"))).toBe(
      "permission denied (42502)",
    );
  });

  test("has no password in it, and at most 300 characters", () => {
    const password = ["hunter2", "hunter2"].join("");
    const said = describeProblem(failure(`can't reach postgres://ann:${password}@db/team`, "X"));
    expect(said).not.toContain(password);
    expect(said).toContain("can't reach");
    expect(describeProblem(failure("x".repeat(400)))).toBe("x".repeat(300));
  });
});

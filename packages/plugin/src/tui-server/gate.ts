// Decides who may use the channel: token, Host, Origin, method.
import { timingSafeEqual } from "node:crypto";
import { parseQuestion, type Question } from "./protocol.ts";

/** The facts by which a request is let in. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface GateSettings {
  readonly port: number;
  readonly token: string;
}

type GateDecision =
  | { readonly kind: "let in"; readonly question: Question }
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

/**
 * Decides who may ask. The token keeps other users of the machine out. It keeps web pages out too, and so
 * do their own headers: a page that reaches loopback by a name of its own sends that name as Host, and any
 * page sends an Origin or says how it fetches.
 */
export function judge(request: Request, settings: GateSettings): GateDecision {
  const { headers, method, path } = request;
  if (headers.host !== `127.0.0.1:${settings.port}`) return refused(403, "another Host");
  if (headers.origin !== undefined) return refused(403, "an Origin");
  if (headers["sec-fetch-site"] !== undefined) return refused(403, "a web page");
  if (!isToken(headers.authorization, settings.token)) return refused(401, "no valid token");
  if (method !== "GET") return refused(405, "a method other than GET");
  if (hasBody(headers)) return refused(413, "a body");
  const question = parseQuestion(path);
  return question ? { kind: "let in", question } : refused(404, "no such path");
}

function refused(status: number, reason: string): GateDecision {
  return { kind: "refused", status, reason };
}

/** Takes the same time for every wrong token of the right length. */
function isToken(given: Request["headers"][string], token: string): boolean {
  if (typeof given !== "string") return false;
  const wanted = Buffer.from(`Bearer ${token}`);
  const said = Buffer.from(given);
  return said.length === wanted.length && timingSafeEqual(said, wanted);
}

function hasBody(headers: Request["headers"]): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

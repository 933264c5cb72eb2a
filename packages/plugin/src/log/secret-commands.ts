// Finds secrets in commands, each by its program's own flag. Pure.
import { maskEach } from "./assigned-secrets.ts";

/** Matches one command's words, on one line, between a program's name and its flag. */
const WORDS = "(?:[^\\S\\n][^\\n|;&]{0,200}?)??[^\\S\\n]";
const QUOTE = "[\"']?";
const VALUE = "([^\\s\"'`]{3,})";

/** Lists the program, its flag up to the value, and whether a space may or must come between. */
const FLAGS: readonly (readonly [program: string, flag: string])[] = [
  ["(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)", "-p"],
  ["(?:7z|7za|7zr)[^\\S\\n]+[a-z]", "-p"],
  ["sshpass", "-p[^\\S\\n]*"],
  ["(?:docker|podman|az|oc|helm)[^\\S\\n](?:[a-z]+[^\\S\\n])?login", "-p[^\\S\\n]+"],
  ["(?:mongo|mongosh|mongodump|mongorestore|sqlcmd)", "-[pP][^\\S\\n]+"],
  ["(?:redis-cli|rclone)", "(?:-a|--pass)[^\\S\\n]+"],
  ["(?:zip|unzip|sqlcmd)", "-P[^\\S\\n]*"],
  ["(?:ldapsearch|ldapadd|ldapmodify|ldapwhoami)", "-w[^\\S\\n]+"],
  ["(?:keytool|jarsigner)", "-(?:storepass|keypass|srcstorepass|deststorepass)[^\\S\\n]+"],
  ["openssl", "-(?:pass|passin|passout)[^\\S\\n]+pass:"],
  ["wget", "--(?:http-|ftp-|proxy-)?password[= ]"],
];

const COMMANDS: readonly RegExp[] = [
  ...FLAGS.map(
    ([program, flag]) =>
      new RegExp(`(\\b${program}${WORDS}${flag}${QUOTE})(?!\\[secret)${VALUE}`, "g"),
  ),
  /(\bhtpasswd[^\S\n]+-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[^\S\n]+\S{1,80}[^\S\n]+\S{1,80}[^\S\n]+["']?)([^\s"'`]{3,})/g,
  /(\bnet[^\S\n]+use[^\S\n]+\S{1,8}[^\S\n]+\\\\\S{1,80}[^\S\n]+)(?![/-])([^\s"'`]{3,})/g,
  /(\s-U[^\S\n]?["']?[\w.\\-]{1,60}%)([^\s"'`]{3,})/g,
  // This one matches a value piped into a program that asks for a password.
  /(\becho[^\S\n]+(?:-n[^\S\n]+)?["']?)([^\s"'|`]{3,})(?=["']?[^\S\n]*\|[^\S\n]*(?:sudo[^\S\n]+-S|[^\n|]{1,120}--password-stdin|passwd|su\b))/g,
  /(\becho[^\S\n]+["']?[\w.-]{1,60}:)([^\s"'|`]{3,})(?=["']?[^\S\n]*\|[^\S\n]*(?:sudo[^\S\n]+)?chpasswd)/g,
  // This one matches SQL.
  /(\b(?:identified[^\S\n]{1,3}(?:with[^\S\n]{1,3}\w{1,40}[^\S\n]{1,3})?by|password)[^\S\n]{1,3}["'])([^"'\n]{3,80})(?=["'])/gi,
];

/** Limits the flags per command that may each hold a secret. */
const MAX_FLAGS = 4;

export function withoutCommands(text: string): string {
  let clean = text;
  for (let pass = 0; pass < MAX_FLAGS; pass += 1) {
    const next = maskEach(clean, COMMANDS);
    if (next === clean) break;
    clean = next;
  }
  return clean;
}

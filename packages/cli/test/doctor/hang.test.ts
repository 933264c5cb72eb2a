import { expect, setDefaultTimeout, test } from "bun:test";
import { CONFIG, makeHome } from "../throwaway-home.ts";

setDefaultTimeout(600_000);

/** Hangs while it loads stuck.js; notes each question for its config, and whether the first one goes on. */
const HOST = `#!/bin/sh
case "$1" in
  debug) ;;
  *) echo 1.18.33; exit 0 ;;
esac
if [ ! -e "$HOME/first.pid" ]; then echo $$ > "$HOME/first.pid"; fi
if kill -0 "$(cat "$HOME/first.pid")" 2> /dev/null; then first=asking; else first=over; fi
echo "\${OPENCODE_PURE:-plugins} $first" >> "$HOME/asked"
config="\${XDG_CONFIG_HOME:-$HOME/.config}/opencode/opencode.json"
if [ "$OPENCODE_PURE" != 1 ] && grep -q stuck.js "$config"; then exec sleep 120; fi
cat "$HOME/answer.json"
`;

test("a plugin that hangs the host is found with the least waiting: no start is made twice, none waits for another's end", async () => {
  const home = makeHome();
  const specs = ["harmless.js", "stuck.js"].map((name) =>
    home.write(name, 'export default { id: "x", server: async () => ({}) };\n'),
  );
  const plugins = specs.map((spec) => ({ spec, source: "global" }));
  home.write("answer.json", JSON.stringify({ plugin_origins: plugins }));
  home.write(`${CONFIG}/opencode.json`, JSON.stringify({ plugin: specs }));
  home.write(`${CONFIG}/node_modules/.keep`, "");
  home.write(".fake-bin/opencode", HOST);
  const { out, err } = await home.run("doctor", "--json");

  expect(JSON.parse(out).findings[0], err).toMatchObject({
    code: "plugin-hangs",
    what: expect.stringContaining("stuck.js makes OpenCode hang"),
  });
  const asked = home
    .read("asked")
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  expect(asked.map(([how]) => how)).toEqual(["plugins", "1", "plugins", "plugins"]);
  // Without plugins it is asked before the first question has run out of time.
  expect(asked.map(([, first]) => first).slice(0, 2)).toEqual(["asking", "asking"]);
});

/** Slow on a machine that is busy: slower than the patience, and slow without plugins too. */
const BUSY_HOST = `#!/bin/sh
case "$1" in
  debug) if [ "$OPENCODE_PURE" = 1 ]; then sleep 4; else sleep 9; fi ;;
  *) echo 1.18.33; exit 0 ;;
esac
cat "$HOME/answer.json"
`;

test("a host that is slow with and without plugins does not hang: the machine is busy", async () => {
  const home = makeHome();
  const spec = home.write("other.js", 'export default { id: "x", server: async () => ({}) };\n');
  const origins = [{ spec, source: "global" }];
  home.write("answer.json", JSON.stringify({ plugin_origins: origins }));
  home.write(`${CONFIG}/node_modules/.keep`, "");
  home.write(".fake-bin/opencode", BUSY_HOST);
  const { out, err } = await home.run("doctor", "--json", "--no-live");
  const { checks } = JSON.parse(out);
  expect(JSON.stringify(checks), err).not.toMatch(/hang/);
  expect(JSON.parse(out).findings[0]).toMatchObject({ code: "plugin-not-listed" });
});

/** Hangs with stuck.js, and with slow.js alone at the first question, as on a machine that is busy just then. */
const HOST_SLOW_ONCE = `#!/bin/sh
case "$1" in
  debug) ;;
  *) echo 1.18.33; exit 0 ;;
esac
config="\${XDG_CONFIG_HOME:-$HOME/.config}/opencode/opencode.json"
if [ "$OPENCODE_PURE" != 1 ]; then
  if grep -q stuck.js "$config"; then exec sleep 120; fi
  if [ ! -e "$HOME/was-slow" ]; then touch "$HOME/was-slow"; exec sleep 120; fi
fi
cat "$HOME/answer.json"
`;

test("a plugin that is slow for once beside one that hangs is tried again, and not blamed", async () => {
  const home = makeHome();
  const specs = ["slow.js", "stuck.js"].map((name) =>
    home.write(name, 'export default { id: "x", server: async () => ({}) };\n'),
  );
  const plugins = specs.map((spec) => ({ spec, source: "global" }));
  home.write("answer.json", JSON.stringify({ plugin_origins: plugins }));
  home.write(`${CONFIG}/opencode.json`, JSON.stringify({ plugin: specs }));
  home.write(`${CONFIG}/node_modules/.keep`, "");
  home.write(".fake-bin/opencode", HOST_SLOW_ONCE);
  const { out, err } = await home.run("doctor", "--json");
  const hanging = JSON.parse(out).findings.filter(
    ({ code }: { readonly code: string }) => code === "plugin-hangs",
  );
  expect(home.read("was-slow"), err).toBe("");
  expect(hanging).toEqual([
    expect.objectContaining({ what: expect.stringContaining("stuck.js makes OpenCode hang") }),
  ]);
});

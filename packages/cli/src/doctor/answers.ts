// Lists findings that explain others, by what they prevent from working.

/** OpenCode itself is missing or does not start here. */
export const NO_HOST = [
  "folder-variable-wrong",
  "host-missing",
  "host-broken",
  "host-hangs",
  "config-invalid",
  "config-unreadable",
  "config-refused",
  "host-does-not-answer",
  "plugin-hangs",
  "plugins-hang",
] as const;

/** The plugin can't work in OpenCode. */
export const NO_PLUGIN = [
  ...NO_HOST,
  "host-too-old",
  "host-too-new",
  "plugin-gone",
  "plugin-not-listed",
  "plugin-shadowed",
  "host-pure",
  "disabled-by-setting",
  "host-fails",
  "plugin-not-fetched",
  "plugin-fails",
] as const;

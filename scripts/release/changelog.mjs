// Moves the changelog's unreleased entries under a version.

const HEADING = "## Unreleased\n";

/** What stands under "Unreleased", without its heading. */
export function unreleased(changelog) {
  const start = changelog.indexOf(HEADING);
  if (start < 0) throw new Error('CHANGELOG.md has no section "## Unreleased".');
  const body = changelog.slice(start + HEADING.length);
  const end = body.search(/^## /m);
  return (end < 0 ? body : body.slice(0, end)).trim();
}

/** The changelog with what was unreleased under the version, and an empty section above it. */
export function released(changelog, version, date) {
  const entries = unreleased(changelog);
  if (!/^- /m.test(entries)) {
    throw new Error(
      "CHANGELOG.md says of nothing that is new: write what a user gets, then release.",
    );
  }
  if (hasVersion(changelog, version)) throw new Error(`CHANGELOG.md has ${version} already.`);
  return changelog.replace(HEADING, `${HEADING}\n## ${version} - ${date}\n`);
}

export function hasVersion(changelog, version) {
  return changelog.includes(`\n## ${version} - `);
}

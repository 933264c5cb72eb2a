// Makes a document's links work where it is published alone, as on npm's page of the package.

/** Opening of a Markdown link or picture to a path: `](docs/cache.md`. */
const RELATIVE = /(!?)(\[[^\]\n]*\]\()(?![a-z][a-z+.-]*:|#|\/)(?:\.\/)?([^)\s]+)/g;

/** Links of a document of the repository's root, as URLs of a tag; pictures as files. */
export function withAbsoluteLinks(text, { repository, version }) {
  const site = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  const raw = site.replace("//github.com/", "//raw.githubusercontent.com/");
  return text.replace(RELATIVE, (_, picture, words, path) => {
    const place = picture === "" ? `${site}/blob/v${version}` : `${raw}/v${version}`;
    return `${picture}${words}${place}/${path}`;
  });
}

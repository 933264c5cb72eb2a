// Run in the page, where there is a document: each is handed over as its source.

/** How many pixels of the chart have the colour that a variable of the page names. */
export function countPixels(name) {
  const probe = document.createElement("canvas").getContext("2d");
  const canvas = document.querySelector("canvas");
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found += 1;
  }
  return found;
}

export function background() {
  return getComputedStyle(document.body).backgroundColor;
}

/** What has to be scrolled sideways is wider than the window. */
export function contentWidth() {
  return document.documentElement.scrollWidth;
}

/** What is wider than the box that it stands in, or reaches beyond the window. */
export function cutTexts() {
  return [...document.querySelectorAll("main *")]
    .filter((element) => {
      if (element.closest("title") || element.tagName === "CANVAS") return false;
      const { left, right, width } = element.getBoundingClientRect();
      const isOut = width > 0 && (left < -1 || right > innerWidth + 1);
      return (
        isOut ||
        element.scrollWidth > element.clientWidth + 1 + (element.clientWidth === 0 ? 9_999 : 0)
      );
    })
    .map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`);
}

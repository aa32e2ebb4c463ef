const LINK = new RegExp(
  [
    /(?<url>https:\/\/[^\s<>"'`\u2400-\u2421]+)/,
    /(?<![\w./@:-])(?<place>(?:[\w.@+~-]*\/)*[\w.@+-]*\.[A-Za-z]\w{0,9}:\d+(?::\d+)?)(?![\w/])/,
  ].map((part) => part.source).join("|"), "g");

/**
 * Finds addresses and places in files, such as `src/a.c:3:4`.
 *
 * @param {string} text
 * @returns {{start: number, end: number, kind: "url" | "place", text: string}[]}
 */
export function findLinks(text) {
  if (!/:\/\/|:\d/.test(text)) return [];
  const links = [];
  for (const { groups: { url, place }, index } of text.matchAll(LINK)) {
    const found = url === undefined ? place : withoutEnd(url);
    if (url !== undefined && !URL.canParse(found)) continue;
    const kind = url === undefined ? "place" : "url";
    links.push({ start: index, end: index + found.length, kind, text: found });
  }
  return links;
}

/** An address without what ends its sentence, or the bracket that it is in. */
function withoutEnd(url) {
  let end = url.replace(/[.,;:!?*_~]+$/, "");
  while (/[)\]}]$/.test(end)) {
    const closing = end.at(-1);
    const opening = { ")": "(", "]": "[", "}": "{" }[closing];
    if (end.split(opening).length >= end.split(closing).length) break;
    end = end.slice(0, -1).replace(/[.,;:!?]+$/, "");
  }
  return end;
}

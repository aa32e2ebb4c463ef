import { readLine } from "./ansi.js";
import { element } from "./dom.js";
import { isSame, paint, PLAIN } from "./text-style.js";

/** More of a line is not drawn: browsers need long for it. */
const LONGEST = 5_000;

/**
 * Fills a node with a line of output: text nodes, and elements where it has colours or matches.
 *
 * @param {HTMLElement} node
 * @param {string} text with escape sequences
 * @param {import("./text-style.js").Style} style the one at its beginning
 * @param {(text: string) => {start: number, end: number}[]} find the parts to mark
 */
export function drawLine(node, text, style, find) {
  const spans = readLine(text, style).spans;
  const plain = spans.map((span) => span.text).join("");
  const marks = find(plain);
  const isPlain = spans.every((span) => isSame(span.style, PLAIN));
  if (isPlain && marks.length === 0 && plain.length <= LONGEST) {
    node.textContent = plain;
    return;
  }
  const parts = [];
  let place = 0;
  for (const span of spans) {
    if (place >= LONGEST) break;
    const shown = span.text.slice(0, LONGEST - place);
    parts.push(...cut(shown, place, marks).map((part) => drawPart(part, span.style)));
    place += shown.length;
  }
  if (plain.length > LONGEST) {
    const rest = `… ${plain.length - LONGEST} more characters`;
    parts.push(element("span", { class: "cut" }, rest));
  }
  node.replaceChildren(...parts);
}

/** Cuts a text that begins at a place of its line where marks begin and end. */
function cut(text, place, marks) {
  const parts = [];
  let from = 0;
  for (const { start, end } of marks) {
    const first = Math.max(from, start - place);
    const last = Math.min(text.length, end - place);
    if (first >= last) continue;
    if (first > from) parts.push({ text: text.slice(from, first), isMarked: false });
    parts.push({ text: text.slice(first, last), isMarked: true });
    from = last;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMarked: false });
  return parts;
}

function drawPart({ text, isMarked }, style) {
  const drawn = isSame(style, PLAIN) ? document.createTextNode(text) : element("span", {}, text);
  if (drawn instanceof Element) paint(drawn, style);
  return isMarked ? element("mark", {}, drawn) : drawn;
}

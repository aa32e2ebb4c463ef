import { readLine } from "./ansi.js";
import { element } from "./dom.js";
import { breaks, LONGEST } from "./line-cells.js";
import { findLinks } from "./line-links.js";
import { isSame, paint, PLAIN } from "./text-style.js";

/**
 * Fills a node with a line of output: text nodes, and elements where it has colours, matches or links.
 *
 * @param {HTMLElement} node
 * @param {string} text with escape sequences
 * @param {import("./text-style.js").Style} style the one at its beginning
 * @param {number} columns where it is broken
 * @param {(text: string) => {start: number, end: number}[]} find the parts to mark
 */
export function drawLine(node, text, style, columns, find) {
  const spans = readLine(text, style).spans;
  const plain = spans.map((span) => span.text).join("");
  const shown = plain.length > LONGEST ? plain.slice(0, LONGEST) : plain;
  const marks = find(shown);
  const links = findLinks(shown);
  const places = breaks(shown, columns);
  const isPlain = spans.every((span) => isSame(span.style, PLAIN));
  const isSimple = marks.length + links.length + places.length === 0 && shown === plain;
  if (isPlain && isSimple) node.textContent = plain;
  else node.replaceChildren(...parts(shown, spans, marks, links, places));
  if (shown === plain) return;
  const rest = (plain.length - LONGEST).toLocaleString("en");
  node.append(element(
    "button", { type: "button", class: "rest", tabindex: -1 }, `… ${rest} more characters`));
}

/** The parts of a line, cut where anything begins or ends. */
function parts(text, spans, marks, links, places) {
  const cuts = new Set([0, text.length, ...places]);
  for (const { start, end } of [...marks, ...links]) cuts.add(start).add(end);
  const styles = [];
  let end = 0;
  for (const span of spans) {
    if (end >= text.length) break;
    cuts.add(end);
    end += span.text.length;
    styles.push({ end, style: span.style });
  }
  const sorted = [...cuts].filter((cut) => cut <= text.length).sort((one, other) => one - other);
  const isBreak = new Set(places);
  const made = [];
  let link = null;
  for (let index = 0; index + 1 < sorted.length; index += 1) {
    const [from, to] = [sorted[index], sorted[index + 1]];
    while (styles[0]?.end <= from) styles.shift();
    while (links[0]?.end <= from) links.shift();
    while (marks[0]?.end <= from) marks.shift();
    const isLinked = links[0]?.start <= from;
    if (!isLinked) link = null;
    else if (link?.of !== links[0]) link = { of: links[0], node: linkNode(links[0]) };
    if (isLinked && links[0].start === from) made.push(link.node);
    const target = isLinked ? link.node : null;
    const put = (node) => (target ? target.append(node) : made.push(node));
    if (isBreak.has(from)) put(element("br"));
    put(piece(text.slice(from, to), styles[0]?.style ?? PLAIN, marks[0]?.start <= from));
  }
  return made;
}

function piece(text, style, isMarked) {
  const drawn = isSame(style, PLAIN) ? document.createTextNode(text) : element("span", {}, text);
  if (drawn instanceof Element) paint(drawn, style);
  return isMarked ? element("mark", {}, drawn) : drawn;
}

function linkNode({ kind, text }) {
  if (kind === "place") return element("span", { class: "place", title: `Copy ${text}` });
  return element("a", { href: text, target: "_blank", rel: "noopener noreferrer" });
}

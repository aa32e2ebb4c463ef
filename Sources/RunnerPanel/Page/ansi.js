import { Cells } from "./cells.js";
import { PLAIN } from "./text-style.js";

/**
 * @typedef {import("./text-style.js").Style} Style
 * @typedef {{text: string, style: Style}} Span
 */

const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;
const NEXT_CONTROL = new RegExp(CONTROL, "g");
/** CSI with its parameters and its last letter; OSC and the other strings, to their end; the rest. */
const SEQUENCE = new RegExp(
  [
    /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~]?)/,
    /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)?/,
    /\x1b[ -/]*[0-~]?/,
  ].map((part) => part.source).join("|"), "y");

/**
 * Reads a line of a terminal's output. Colours carry on from the line before; `\r`, backspaces, moves
 * within the line and erasing leave what a terminal would; other moves, titles and links are dropped.
 * Control characters that do none of this are shown.
 *
 * @param {string} text
 * @param {Style} [style] the one at the end of the line before
 * @returns {{spans: Span[], style: Style, column: number}} with the cell where the cursor is
 */
export function readLine(text, style = PLAIN) {
  if (!CONTROL.test(text)) {
    return { spans: text === "" ? [] : [{ text, style }], style, column: text.length };
  }
  const cells = new Cells();
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code >= 0x20 && code < 0x7f || code > 0x9f || code === 9) {
      const end = endOfText(text, index);
      cells.write(text.slice(index, end), style);
      index = end;
    } else if (isIntroducer(code)) {
      SEQUENCE.lastIndex = index;
      const match = SEQUENCE.exec(text);
      if (match?.[2] === "m") style = restyle(style, match[1]);
      else if (match?.[2] === "K") cells.erase(match[1]);
      else if ("CDG`".includes(match?.[2] || " ")) cells.move(match[2], Number(match[1]) || 1);
      index += match?.[0].length || 1;
    } else {
      if (code === 13) cells.column = 0;
      else if (code === 8) cells.move("D", 1);
      else cells.write(picture(code), style);
      index += 1;
    }
  }
  return { spans: cells.spans(), style, column: cells.column };
}

/** What is shown for a control character: its picture of Unicode, or its number. */
function picture(code) {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `<${code.toString(16).toUpperCase()}>`;
}

/** The text of a line alone. */
export function plainText(text) {
  if (!CONTROL.test(text)) return text;
  return readLine(text).spans.map((span) => span.text).join("");
}

/** The style at the end of a line: what `readLine` tells, without the text. */
export function styleAfter(text, style) {
  return text.includes("\x1b") || text.includes("\x9b") ? readLine(text, style).style : style;
}

const LETTERS = { bold: 1, dim: 2, italic: 3, underline: 4, inverse: 7, hidden: 8, strike: 9 };

/** A text with sequences that lead to these spans again, from the usual style to the usual one. */
export function lineText(spans) {
  return spans.map(({ text, style }) => {
    const codes = Object.keys(LETTERS).filter((flag) => style[flag]).map((flag) => LETTERS[flag]);
    for (const [code, color] of [[38, style.foreground], [48, style.background]]) {
      if (typeof color === "number") codes.push(code, 5, color);
      else if (color !== null) {
        codes.push(code, 2, ...[1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)));
      }
    }
    return codes.length === 0 ? text : `\x1b[${codes.join(";")}m${text}\x1b[m`;
  }).join("");
}

function endOfText(text, start) {
  NEXT_CONTROL.lastIndex = start;
  return NEXT_CONTROL.exec(text)?.index ?? text.length;
}

function isIntroducer(code) {
  return code === 0x1b || code === 0x9b || code === 0x90 || code === 0x98 || code >= 0x9d;
}

const SETTINGS = new Map([
  [1, { bold: true }], [2, { dim: true }], [3, { italic: true }], [4, { underline: true }],
  [7, { inverse: true }], [8, { hidden: true }], [9, { strike: true }],
  [21, { underline: true }], [22, { bold: false, dim: false }], [23, { italic: false }],
  [24, { underline: false }], [27, { inverse: false }], [28, { hidden: false }],
  [29, { strike: false }], [39, { foreground: null }], [49, { background: null }],
]);

/** Applies the parameters of an SGR sequence. */
function restyle(style, text) {
  // Private sequences, such as `\x1b[>4m`, are about keys.
  if (/[<=>?]/.test(text)) return style;
  const codes = text.split(";");
  let next = style;
  for (let index = 0; index < codes.length; index += 1) {
    const [first, ...parts] = codes[index].split(":");
    const code = Number(first);
    if (code === 0) next = PLAIN;
    else if (code === 4 && parts[0] === "0") next = { ...next, underline: false };
    else if (SETTINGS.has(code)) next = { ...next, ...SETTINGS.get(code) };
    else if (code === 38 || code === 48) {
      const words = parts.length > 0 ? parts : codes.slice(index + 1, index + 5);
      const [color, count] = extendedColor(words, parts.length > 0);
      if (parts.length === 0) index += count;
      if (color !== null) next = { ...next, [code === 38 ? "foreground" : "background"]: color };
    } else {
      const color = basicColor(code);
      if (color) next = { ...next, ...color };
    }
  }
  return next;
}

function basicColor(code) {
  if (code >= 30 && code <= 37) return { foreground: code - 30 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 90 && code <= 97) return { foreground: code - 82 };
  if (code >= 100 && code <= 107) return { background: code - 92 };
  return null;
}

/** The colour behind 38 or 48, and how many parameters it takes. */
function extendedColor(words, hasColons) {
  const numbers = words.map(Number);
  const isByte = (number) => Number.isInteger(number) && number >= 0 && number <= 255;
  if (numbers[0] === 5) return [isByte(numbers[1]) ? numbers[1] : null, 2];
  if (numbers[0] !== 2) return [null, 1];
  // With colons a colour space may stand before red, green and blue.
  const start = hasColons && numbers.length > 4 ? 2 : 1;
  const channels = numbers.slice(start, start + 3);
  if (channels.length < 3 || !channels.every(isByte)) return [null, 4];
  return ["#" + channels.map((channel) => channel.toString(16).padStart(2, "0")).join(""), 4];
}

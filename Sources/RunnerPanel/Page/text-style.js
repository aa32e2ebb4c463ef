/**
 * How text looks. A colour is null for the usual one, a number of the palette of 256, or `#rrggbb`.
 *
 * @typedef {{foreground: number | string | null, background: number | string | null,
 *   bold: boolean, dim: boolean, italic: boolean, underline: boolean, inverse: boolean,
 *   hidden: boolean, strike: boolean}} Style
 */

/** @type {Style} */
export const PLAIN = Object.freeze({
  foreground: null, background: null, bold: false, dim: false, italic: false, underline: false,
  inverse: false, hidden: false, strike: false,
});

const FLAGS = ["bold", "dim", "italic", "underline", "hidden", "strike"];

/** Whether two styles look the same. */
export function isSame(one, other) {
  return one === other || Object.keys(PLAIN).every((key) => one[key] === other[key]);
}

/** Makes an element look so. Rules of the style sheet draw the flags and the colours' names. */
export function paint(element, style) {
  element.className = FLAGS.filter((flag) => style[flag]).join(" ");
  let [foreground, background] = [color(style.foreground), color(style.background)];
  if (style.inverse) {
    [foreground, background] = [background ?? "var(--output-ground)", foreground ?? "var(--text)"];
  }
  // A property, which the policy allows where it forbids an attribute.
  element.style.color = foreground ?? "";
  element.style.backgroundColor = background ?? "";
}

/** A colour as CSS says it. */
function color(value) {
  if (typeof value !== "number") return value;
  if (value < 16) return `var(--ansi-${value})`;
  if (value >= 232) return grey(8 + (value - 232) * 10);
  const cube = value - 16;
  const steps = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return `rgb(${steps.map((step) => (step === 0 ? 0 : 55 + step * 40)).join(" ")})`;
}

function grey(level) {
  return `rgb(${level} ${level} ${level})`;
}

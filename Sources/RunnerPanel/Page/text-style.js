import { colorText, contrast, mix, parseColor, readable } from "./contrast.js";
import { Recent } from "./recent.js";

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

const FLAGS = ["bold", "italic", "underline", "hidden", "strike"];

/** The text and the ground of the output, and the palette's first sixteen: on light, on dark. */
const TEXT = themes("#1d2026 #dfe2e7");
const GROUND = themes("#fcfcfd #121417");
const PALETTE = [
  "#1d2026 #7d8490", "#c4302b #ff7b72", "#24783f #65c587", "#8a5d00 #d8b04a",
  "#2560c9 #74aaff", "#8b3fb5 #c792ea", "#0f7284 #56c4d6", "#6b7280 #c8ccd4",
  "#6c737f #939aa6", "#d43d37 #ff9a93", "#22813f #86dba4", "#966700 #efcd6d",
  "#3a75de #9cc3ff", "#9a4fc6 #dbb3f5", "#0d7c8e #84dceb", "#3f4550 #ffffff",
].map(themes);

/** How colours that were drawn of late are written in CSS: a program may use all there are. */
const drawn = new Recent(1_000);

/** Whether two styles look the same. */
export function isSame(one, other) {
  return one === other || Object.keys(PLAIN).every((key) => one[key] === other[key]);
}

/** Makes an element look so. Rules of the style sheet draw the flags. */
export function paint(element, style) {
  element.className = FLAGS.filter((flag) => style[flag]).join(" ");
  const { color, background } = colors(style);
  // A property, which the policy allows where it forbids an attribute.
  element.style.color = color;
  element.style.backgroundColor = background;
}

/**
 * The colours of a style as CSS says them, "" for the usual ones. Text can be read on its ground in both
 * themes, whatever a program has thought its terminal to be.
 *
 * @param {Style} style
 * @returns {{color: string, background: string}}
 */
export function colors({ foreground, background, inverse, dim }) {
  if (foreground === null && background === null && !inverse && !dim) {
    return { color: "", background: "" };
  }
  return drawn.of(`${foreground} ${background} ${inverse} ${dim}`, () =>
    readableColors(foreground, background, inverse, dim));
}

function readableColors(foreground, background, inverse, dim) {
  let grounds = shades(background) ?? GROUND;
  let texts = shades(foreground) ?? grounds.map(usualText);
  if (inverse) [texts, grounds] = [grounds, texts];
  const written = texts.map((text, theme) => {
    const ground = grounds[theme];
    return colorText(readable(dim ? mix(text, ground, 0.35) : text, ground));
  });
  return {
    color: byTheme(written),
    background: background === null && !inverse ? "" : byTheme(grounds.map(colorText)),
  };
}

/** The text that is read best on a ground. */
function usualText(ground) {
  return contrast(TEXT[0], ground) > contrast(TEXT[1], ground) ? TEXT[0] : TEXT[1];
}

function byTheme([light, dark]) {
  return light === dark ? light : `light-dark(${light}, ${dark})`;
}

function themes(text) {
  return text.split(" ").map(parseColor);
}

/** A colour on light and on dark; null for the usual one. */
function shades(value) {
  if (value === null) return null;
  if (typeof value === "number" && value < 16) return PALETTE[value];
  const color = typeof value === "string" ? parseColor(value) : paletteColor(value);
  return [color, color];
}

function paletteColor(value) {
  if (value >= 232) return Array(3).fill(8 + (value - 232) * 10);
  const cube = value - 16;
  const steps = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return steps.map((step) => (step === 0 ? 0 : 55 + step * 40));
}

/**
 * A colour as red, green and blue from 0 to 255.
 *
 * @typedef {[number, number, number]} Color
 */

/** The contrast that text needs with its ground: level AA of the WCAG. */
const ENOUGH = 4.5;
const BLACK = [0, 0, 0];
const WHITE = [255, 255, 255];

/** Reads `#rrggbb`. */
export function parseColor(text) {
  return [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16));
}

/** Writes `#rrggbb`. */
export function colorText(color) {
  return "#" + color.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("");
}

/** The contrast ratio of two colours, from 1 to 21. */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** A colour with so much of another. */
export function mix(color, other, share) {
  return color.map((channel, index) => channel + (other[index] - channel) * share);
}

/** The colour, or the nearest to it towards black or white that can be read on a ground. */
export function readable(color, ground) {
  if (contrast(color, ground) >= ENOUGH) return color;
  const end = contrast(BLACK, ground) > contrast(WHITE, ground) ? BLACK : WHITE;
  for (let share = 0.1; share < 1; share += 0.1) {
    const mixed = mix(color, end, share);
    if (contrast(mixed, ground) >= ENOUGH) return mixed;
  }
  return end;
}

function luminance(color) {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** More of a line is not drawn in its place: browsers need long for it. */
export const LONGEST = 5_000;

const TAB = 8;
const SIMPLE = /^[\x20-\x7e]*$/;
/** East Asian and pictographic characters, which take two cells. */
const WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60"
    + "\\uffe0-\\uffe6]|\\p{Emoji_Presentation}|[\\u{20000}-\\u{3fffd}]", "u");
const NARROWLESS = /[\p{Mn}\p{Me}\u200b-\u200f\u2060\ufe00-\ufe0f]/u;

/** How many cells of a terminal a line takes. */
export function cellCount(text) {
  if (SIMPLE.test(text)) return text.length;
  let count = 0;
  for (const character of text) count += cellsOf(character, count);
  return count;
}

/** Where a line must be broken so that it ends at a column: places in the text. */
export function breaks(text, columns) {
  const places = [];
  if (columns === Infinity) return places;
  if (SIMPLE.test(text)) {
    for (let place = columns; place < text.length; place += columns) places.push(place);
    return places;
  }
  let [count, place] = [0, 0];
  for (const character of text) {
    if (count >= (places.length + 1) * columns) places.push(place);
    count += cellsOf(character, count);
    place += character.length;
  }
  return places;
}

function cellsOf(character, column) {
  if (character === "\t") return TAB - column % TAB;
  if (character < "\u0300") return 1;
  if (NARROWLESS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

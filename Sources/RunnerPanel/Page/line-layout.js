import { cellCount, LONGEST } from "./line-cells.js";
import { Kind } from "./lines.js";

/** The cells that the button behind a cut line needs. */
const BUTTON = 32;

/**
 * The rows that lines take: one each, or as many as they need to end at a column, or none if they are
 * folded.
 */
export class LineLayout {
  /** @type {import("./lines.js").Lines} */
  #lines;
  /** The width of each line in cells. */
  #widths = new Uint32Array(1024);
  /** The row behind each line, if lines are wrapped or folded. */
  #ends = new Uint32Array(0);
  #count = 0;
  #columns = Infinity;
  /** The folded lines: the first of each range and the one behind its last, in order. */
  #folds = [];

  constructor(lines) {
    this.#lines = lines;
  }

  /** Lays out other lines. */
  take(lines) {
    this.#lines = lines;
    this.#count = 0;
    this.#folds = [];
  }

  /** Where lines are wrapped; infinite if they are not. */
  get columns() {
    return this.#columns;
  }

  /** @param {number} columns */
  wrap(columns) {
    if (columns === this.#columns) return;
    this.#columns = columns;
    this.#restack();
  }

  /**
   * Folds ranges of lines, and no others.
   *
   * @param {[number, number][]} ranges the first line and the one behind the last, in order
   */
  fold(ranges) {
    this.#folds = ranges;
    this.#restack();
  }

  /** Whether a line takes no row. */
  isFolded(line) {
    return this.#folds.some(([first, end]) => line >= first && line < end);
  }

  /**
   * Takes over what has changed.
   *
   * @param {number} from the first line that is another, or new
   */
  update(from) {
    const { length } = this.#lines;
    if (length > this.#widths.length) this.#grow(length);
    for (let line = Math.min(from, this.#count); line < length; line += 1) {
      const text = this.#lines.plain(line);
      if (this.#lines.kind(line) === Kind.step) this.#widths[line] = 1;
      else this.#widths[line] = text.length > LONGEST
        ? cellCount(text.slice(0, LONGEST)) + BUTTON : cellCount(text);
    }
    const known = Math.min(from, this.#count);
    this.#count = length;
    this.#stack(known);
  }

  /** The number of rows of all lines. */
  get rows() {
    if (this.#isFlat || this.#count === 0) return this.#count;
    return this.#ends[this.#count - 1];
  }

  /** The first row of a line. */
  rowOf(line) {
    if (this.#isFlat || line === 0) return line;
    return this.#ends[Math.min(line, this.#count) - 1] ?? 0;
  }

  /** The line of a row. */
  lineAt(row) {
    if (this.#isFlat) return row;
    let [low, high] = [0, Math.max(0, this.#count - 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ends[middle] > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Whether each line takes one row. */
  get #isFlat() {
    return this.#columns === Infinity && this.#folds.length === 0;
  }

  #restack() {
    this.#ends = new Uint32Array(this.#isFlat ? 0 : this.#widths.length);
    this.#stack(0);
  }

  #stack(from) {
    if (this.#isFlat) return;
    let end = from > 0 ? this.#ends[from - 1] : 0;
    const folds = this.#folds.filter(([, behind]) => behind > from);
    for (let line = from; line < this.#count; line += 1) {
      while (folds[0]?.[1] <= line) folds.shift();
      const isFolded = folds[0]?.[0] <= line;
      if (!isFolded) end += Math.max(1, Math.ceil(this.#widths[line] / this.#columns));
      this.#ends[line] = end;
    }
  }

  #grow(length) {
    const size = Math.max(length, this.#widths.length * 2);
    const enlarge = (old) => {
      const made = new Uint32Array(size);
      made.set(old);
      return made;
    };
    this.#widths = enlarge(this.#widths);
    if (!this.#isFlat) this.#ends = enlarge(this.#ends);
  }
}

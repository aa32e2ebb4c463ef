/** Browsers lay out no more than this: Firefox ends near 17.9 million pixels. */
export const LARGEST_HEIGHT = 15e6;

/**
 * The arithmetic of a list whose rows have one height. A list that is higher than browsers can lay out
 * is scrolled on a smaller scale; its ends still are those of the scroll bar.
 */
export class ScrollScale {
  #rowHeight;
  #count = 0;
  #viewport = 0;

  /** @param {number} rowHeight in pixels */
  constructor(rowHeight) {
    this.#rowHeight = rowHeight;
  }

  /** Tells it the number of rows and the height in which they are seen. */
  update(count, viewport) {
    this.#count = count;
    this.#viewport = viewport;
  }

  /** The height to lay out. */
  get height() {
    return Math.min(this.#full, LARGEST_HEIGHT);
  }

  /** The scroll position that shows the last row. */
  get end() {
    return Math.max(0, this.height - this.#viewport);
  }

  /** How far below the first row's top a scroll position looks. */
  offset(position) {
    const end = this.end;
    if (end === 0) return 0;
    return Math.round(Math.min(1, Math.max(0, position / end)) * this.#fullEnd);
  }

  /** The scroll position that looks so far below the first row's top. */
  position(offset) {
    const fullEnd = this.#fullEnd;
    if (fullEnd === 0) return 0;
    return Math.min(1, Math.max(0, offset / fullEnd)) * this.end;
  }

  /**
   * The rows that are seen at a scroll position.
   *
   * @returns {{first: number, end: number}} `end` is the row behind the last one
   */
  rows(position) {
    const offset = this.offset(position);
    return {
      first: Math.floor(offset / this.#rowHeight),
      end: Math.min(this.#count, Math.ceil((offset + this.#viewport) / this.#rowHeight)),
    };
  }

  /** Where a row is laid out while the list is at a scroll position. */
  top(row, position) {
    return Math.round(position) + row * this.#rowHeight - this.offset(position);
  }

  /** The nearest scroll position at which a row is seen as a whole. */
  positionShowing(row, position) {
    const top = row * this.#rowHeight;
    const offset = this.offset(position);
    if (top < offset) return this.position(top);
    const bottom = top + this.#rowHeight - this.#viewport;
    return bottom > offset ? this.position(bottom) : position;
  }

  get #full() {
    return this.#count * this.#rowHeight;
  }

  get #fullEnd() {
    return Math.max(0, this.#full - this.#viewport);
  }
}

/** For how many milliseconds a scan goes on before the page has its turn. */
const SLICE = 5;

/**
 * Finds lines, a slice at a time, and goes on when lines are added. Subclasses say which ones.
 *
 * The event `found` says that more is known.
 */
export class LineScan extends EventTarget {
  /** @type {import("./lines.js").Lines} */
  lines;
  #matches = [];
  /** How many lines were looked at. */
  #place = 0;
  /** The index of the match that is shown, or -1. */
  #current = -1;
  #isScheduled = false;

  constructor(lines) {
    super();
    this.lines = lines;
  }

  /** Whether it looks for anything. */
  get isActive() {
    return true;
  }

  /**
   * Whether it looks for a line.
   *
   * @abstract
   * @param {number} line
   * @returns {boolean}
   */
  has(line) {
    throw new Error(`nothing looks for line ${line}`);
  }

  /** How many lines match, as far as is known. */
  get count() {
    return this.#matches.length;
  }

  /** The number of the match that is shown, from 1; 0 for none. */
  get number() {
    return this.#current + 1;
  }

  /** The line that is shown, or -1. */
  get line() {
    return this.#matches[this.#current] ?? -1;
  }

  get isComplete() {
    return this.#place === this.lines.length;
  }

  /** Looks at all lines again. */
  restart() {
    this.#matches = [];
    this.#current = -1;
    this.#place = this.isActive ? 0 : this.lines.length;
    this.#schedule();
  }

  /**
   * Goes on.
   *
   * @param {number} changed the first line that is another, or new
   */
  goOn(changed) {
    const known = Math.min(this.#place, changed, this.lines.length);
    this.#place = this.isActive ? known : this.lines.length;
    while (this.#matches.at(-1) >= known) this.#matches.pop();
    if (this.isActive && !this.isComplete) this.#schedule();
  }

  /**
   * Goes to the next match, or the one before; from the last to the first.
   *
   * @param {1 | -1} direction
   * @param {number} from the line where the reader is, if no match is shown
   */
  step(direction, from) {
    const count = this.#matches.length;
    if (count === 0) return;
    if (this.#current >= 0 && this.#current < count) {
      this.#current = (this.#current + direction + count) % count;
    } else {
      const next = this.#firstFrom(from);
      this.#current = (direction > 0 ? next % count : next - 1 + count) % count;
    }
    this.dispatchEvent(new Event("found"));
  }

  /** Shows no match: the next step begins where the reader is. */
  leave() {
    this.#current = -1;
  }

  /** Whether there is a match in a range of lines, whose end is not in it. */
  isIn(first, end) {
    return this.#matches[this.#firstFrom(first)] < end;
  }

  /** The first line from one on that matches. */
  firstIn(line) {
    return this.#matches[this.#firstFrom(line)];
  }

  /** The index of the first match from a line on. */
  #firstFrom(line) {
    let [low, high] = [0, this.#matches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#matches[middle] < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#slice());
  }

  #slice() {
    this.#isScheduled = false;
    const end = performance.now() + SLICE;
    while (this.#place < this.lines.length && performance.now() < end) {
      const stop = Math.min(this.#place + 200, this.lines.length);
      for (; this.#place < stop; this.#place += 1) {
        if (this.has(this.#place)) this.#matches.push(this.#place);
      }
    }
    if (this.#current >= this.#matches.length && this.isComplete) this.#current = -1;
    if (this.isActive && !this.isComplete) this.#schedule();
    this.dispatchEvent(new Event("found"));
  }
}

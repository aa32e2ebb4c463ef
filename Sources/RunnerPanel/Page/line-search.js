/** For how many milliseconds a search goes on before the page has its turn. */
const SLICE = 8;

/**
 * Finds the lines that have a text, a slice at a time, and goes on when lines are added. A text without
 * capital letters finds them too.
 *
 * The event `found` says that more is known.
 */
export class LineSearch extends EventTarget {
  #lines;
  #wanted = "";
  #matches = [];
  /** How many lines were looked at. */
  #place = 0;
  /** The index of the match that is shown, or -1. */
  #current = -1;
  #isScheduled = false;

  /** @param {import("./lines.js").Lines} lines */
  constructor(lines) {
    super();
    this.#lines = lines;
  }

  get wanted() {
    return this.#wanted;
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
    return this.#place === this.#lines.length;
  }

  /** Searches for a text from the first line on; nothing is found for none. */
  search(text) {
    this.#wanted = text;
    this.#matches = [];
    this.#current = -1;
    this.#place = text === "" ? this.#lines.length : 0;
    this.#schedule();
  }

  /** Goes on, since there are more lines, or the last has another text. */
  goOn() {
    const { length } = this.#lines;
    this.#place = Math.min(this.#place, length);
    if (this.#wanted === "") {
      this.#place = length;
      return;
    }
    while (this.#matches.at(-1) >= length) this.#matches.pop();
    if (this.#place > 0) this.#recheck(this.#place - 1);
    this.#schedule();
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
    if (this.#current >= 0) this.#current = (this.#current + direction + count) % count;
    else {
      const next = this.#matches.findIndex((line) => line >= from);
      this.#current = direction > 0 ? Math.max(0, next) : (next < 0 ? count : next) - 1;
      if (this.#current < 0) this.#current = count - 1;
    }
    this.dispatchEvent(new Event("found"));
  }

  /** Where in a text the searched one stands. */
  places(text) {
    if (this.#wanted === "") return [];
    const [whole, wanted] = this.#folded(text);
    const places = [];
    let place = whole.indexOf(wanted);
    while (place >= 0) {
      places.push(place);
      place = whole.indexOf(wanted, place + wanted.length);
    }
    return places;
  }

  #folded(text) {
    const folded = this.#wanted.toLowerCase();
    if (folded !== this.#wanted) return [text, this.#wanted];
    const whole = text.toLowerCase();
    // A few letters change their length.
    return [whole.length === text.length ? whole : text, folded];
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#slice());
  }

  #slice() {
    this.#isScheduled = false;
    const end = performance.now() + SLICE;
    while (this.#place < this.#lines.length && performance.now() < end) {
      const stop = Math.min(this.#place + 200, this.#lines.length);
      for (; this.#place < stop; this.#place += 1) {
        if (this.#has(this.#place)) this.#matches.push(this.#place);
      }
    }
    if (this.#wanted !== "" && this.#place < this.#lines.length) this.#schedule();
    this.dispatchEvent(new Event("found"));
  }

  /** Looks again at a line that may have another text. */
  #recheck(line) {
    if (this.#matches.at(-1) === line) this.#matches.pop();
    if (this.#has(line)) this.#matches.push(line);
    if (this.#current >= this.#matches.length) this.#current = -1;
  }

  #has(line) {
    const [whole, wanted] = this.#folded(this.#lines.plain(line));
    return whole.includes(wanted);
  }
}

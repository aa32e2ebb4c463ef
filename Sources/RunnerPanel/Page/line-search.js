import { LineScan } from "./line-scan.js";

/** Finds the lines that have a text. A text without capital letters finds them too. */
export class LineSearch extends LineScan {
  #wanted = "";

  get wanted() {
    return this.#wanted;
  }

  get isActive() {
    return this.#wanted !== "";
  }

  /** Searches for a text from the first line on; nothing is found for none. */
  search(text) {
    this.#wanted = text;
    this.restart();
  }

  has(line) {
    if (this.#wanted === "") return false;
    const [whole, wanted] = this.#folded(this.lines.plain(line));
    return whole.includes(wanted);
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
}

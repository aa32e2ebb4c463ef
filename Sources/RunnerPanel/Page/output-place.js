import { Kept } from "./kept.js";

/** Where a reader was in the output, so that a reload leads back there. */
export class OutputPlace {
  #list;
  #kept = new Kept("sessionStorage", "place");
  #selection;
  /** The place of the page before this one, until it is reached; null once the reader has gone elsewhere. */
  #left;

  /**
   * @param {import("./output-list.js").OutputList} list
   * @param {import("./selection.js").Selection} selection
   */
  constructor(list, selection) {
    this.#list = list;
    this.#selection = selection;
    this.#left = this.#kept.value ?? null;
    selection.addEventListener("change", () => {
      if (selection.id !== this.#left?.id) this.#left = null;
    });
    list.rows.addEventListener("follow", () => (this.#left = null));
    addEventListener("pagehide", () => this.#keep());
  }

  /**
   * Goes back, once there are so many lines. A place that the output up to now does not have is given up:
   * later lines must not take the reader elsewhere.
   *
   * @param {number} outputs how many outputs the execution had when it was loaded
   */
  update(outputs) {
    if (this.#left === null || this.#left.id !== this.#selection.id) return;
    const { lines, next } = this.#list.record;
    if (lines.length > this.#left.line) this.#list.rows.showAtTop(this.#left.line);
    else if (next < outputs) return;
    this.#left = null;
  }

  #keep() {
    const { isFollowing } = this.#list.rows;
    this.#kept.value = isFollowing ? null : { id: this.#selection.id, line: this.#list.firstLine };
  }
}

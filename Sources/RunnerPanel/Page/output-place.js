import { Kept } from "./kept.js";

/** Where a reader was in the output, so that a reload leads back there. */
export class OutputPlace {
  #list;
  #kept = new Kept("sessionStorage", "place");
  #id;
  /** The place of the page before this one, until it is reached. */
  #left;

  /**
   * @param {import("./output-list.js").OutputList} list
   * @param {() => number | null} id that of the execution that is shown
   */
  constructor(list, id) {
    this.#list = list;
    this.#id = id;
    this.#left = this.#kept.value ?? null;
    addEventListener("pagehide", () => this.#keep());
  }

  /** Goes back, once there are so many lines. */
  update() {
    if (this.#left === null) return;
    const { id, line } = this.#left;
    if (id === this.#id() && this.#list.record.lines.length <= line) return;
    if (id === this.#id()) this.#list.rows.showAtTop(line);
    this.#left = null;
  }

  #keep() {
    const { isFollowing } = this.#list.rows;
    this.#kept.value = isFollowing ? null : { id: this.#id(), line: this.#list.firstLine };
  }
}

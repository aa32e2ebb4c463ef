/**
 * What the browser keeps for the page: as long as the tab is there, or as long as the browser likes. It is
 * a browser that may keep nothing: then everything is as at a first visit.
 */
export class Kept {
  #storage;
  #key;

  /**
   * @param {"sessionStorage" | "localStorage"} storage
   * @param {string} key what it is, and of which project
   */
  constructor(storage, key) {
    this.#storage = storage;
    this.#key = `raclette ${key}`;
  }

  /** The value; undefined if there is none. */
  get value() {
    try {
      return JSON.parse(globalThis[this.#storage].getItem(this.#key)) ?? undefined;
    } catch {
      return undefined;
    }
  }

  set value(value) {
    try {
      globalThis[this.#storage].setItem(this.#key, JSON.stringify(value));
    } catch {
      // A full or a forbidden storage.
    }
  }
}

/** Remembers what was made for keys, and forgets what was not asked for of late. */
export class Recent {
  #most;
  #young = new Map();
  #old = new Map();

  /** @param {number} most it keeps up to twice as many */
  constructor(most) {
    this.#most = most;
  }

  get size() {
    return this.#young.size + this.#old.size;
  }

  /**
   * What belongs to a key; made if it is not remembered.
   *
   * @template T
   * @param {string} key
   * @param {() => T} make
   * @returns {T}
   */
  of(key, make) {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key) ?? make();
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}

/** How many characters a tab may have before it that it has not taken yet. */
const WINDOW = 256 * 1024;
/** For how many milliseconds one that takes nothing is waited for: browsers freeze hidden tabs. */
const PATIENCE = 5_000;

/** What the hub knows of a tab. */
export class HubClient {
  page;
  /** What it looks at, as the server takes it. */
  looks = [];
  #port;
  #waiting = 0;
  #isAsleep = false;
  #woken = () => {};
  #requests = Promise.resolve();
  #patience;

  /**
   * @param {MessagePort} port
   * @param {string} page its name
   * @param {number} [patience] in milliseconds
   */
  constructor(port, page, patience = PATIENCE) {
    this.#port = port;
    this.page = page;
    this.#patience = patience;
  }

  send(message) {
    this.#port.postMessage(message);
  }

  /** Gives it events, which are left out while it sleeps. */
  deliver(text) {
    if (this.#isAsleep) return;
    this.#waiting += text.length;
    this.send({ type: "events", text });
  }

  /** It has taken events. The first after a sleep makes it load everything again. */
  taken(length) {
    this.#waiting -= length;
    this.#woken();
    if (!this.#isAsleep || this.#waiting > 0) return;
    this.#isAsleep = false;
    this.send({ type: "awake" });
  }

  /** Waits until it has room for more; false if it has fallen asleep. */
  async isReady() {
    if (this.#isAsleep || this.#waiting < WINDOW) return true;
    const isAwake = await new Promise((resolve) => {
      const limit = setTimeout(() => resolve(false), this.#patience);
      this.#woken = () => {
        if (this.#waiting >= WINDOW) return;
        clearTimeout(limit);
        resolve(true);
      };
    });
    this.#woken = () => {};
    this.#isAsleep = !isAwake;
    return isAwake;
  }

  /** It is gone: nothing waits for it. */
  end() {
    this.#waiting = 0;
    this.#woken();
  }

  /** Makes requests about it one after the other. */
  inTurn(request) {
    this.#requests = this.#requests.then(request).catch(() => {});
  }
}

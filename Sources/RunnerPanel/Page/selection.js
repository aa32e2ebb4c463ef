import { runAddress, viewAddress } from "./route.js";

/** The execution whose output is shown, or would be: that of the address, or the one shown last. */
export class Selection extends EventTarget {
  /** @type {number | null} */
  id;
  #route;
  /** The address of the run that a press led to; null since the reader has gone elsewhere. */
  #followed = null;

  /** @param {import("./route.js").Route} route */
  constructor(route) {
    super();
    this.#route = route;
    this.id = route.id;
    route.addEventListener("change", () => {
      this.#followed = null;
      if (route.id !== null) this.#take(route.id);
    });
  }

  /** Goes to an execution. */
  select(id) {
    this.#route.go(runAddress(id));
  }

  /**
   * Goes to the execution that a request makes, unless the reader has gone elsewhere meanwhile.
   *
   * @param {Promise<number | null>} request the execution; null if there is none
   */
  async follow(request) {
    const { address } = this.#route;
    const id = await request;
    // An earlier press may have led to its own run meanwhile.
    if (id !== null && [address, this.#followed].includes(this.#route.address)) {
      this.select(id);
      this.#followed = this.#route.address;
    }
    return id;
  }

  /** Shows an execution without another step on the way back: no reader has asked for it. */
  propose(id) {
    if (this.#route.view === "run") this.#route.replace(runAddress(id));
    this.#take(id);
  }

  /** Shows none. */
  clear() {
    this.#take(null);
    if (this.#route.view === "run") this.#route.replace(viewAddress("board"));
  }

  #take(id) {
    if (id === this.id) return;
    this.id = id;
    this.dispatchEvent(new Event("change"));
  }
}

/** The link to an execution. */
export const address = runAddress;

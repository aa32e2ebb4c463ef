/** The execution whose output is shown: that of the address, so that it can be linked to. */
export class Selection extends EventTarget {
  /** @type {number | null} */
  id = null;

  constructor() {
    super();
    this.id = fromAddress();
    addEventListener("hashchange", () => {
      // An address that only brings a token asks for no other execution.
      if (this.#isAboutToken) return;
      this.#take(fromAddress());
    });
  }

  /** Shows an execution. */
  select(id) {
    if (fromAddress() === id) this.#take(id);
    else location.hash = address(id);
  }

  /** Shows an execution without another step on the way back: no reader has asked for it. */
  propose(id) {
    history.replaceState(history.state, "", address(id));
    this.#take(id);
  }

  /** Shows none. */
  clear() {
    history.replaceState(history.state, "", location.pathname);
    this.#take(null);
  }

  get #isAboutToken() {
    return fields().has("token") && fromAddress() === null;
  }

  #take(id) {
    if (id === this.id) return;
    this.id = id;
    this.dispatchEvent(new Event("change"));
  }
}

/** The link to an execution. */
export function address(id) {
  return `#execution=${id}`;
}

function fields() {
  return new URLSearchParams(location.hash.slice(1));
}

function fromAddress() {
  const id = Number(fields().get("execution"));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

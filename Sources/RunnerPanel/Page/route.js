/**
 * Where the reader is: a view, and what it is about. Each has an address, so that it can be linked to and
 * the browser's way back leads through the views.
 *
 * | address | view |
 * |---|---|
 * | `#/` | `board` |
 * | `#/command/NAME` | `command`, with its `name` |
 * | `#/run/ID` | `run`, with its `id` |
 * | `#/runs`, `#/timeline`, `#/messages`, `#/workers` | these |
 *
 * The event `change` comes from it.
 */
export class Route extends EventTarget {
  view = "board";
  /** The command's name; "" where the view is about none. */
  name = "";
  /** @type {number | null} The execution's number. */
  id = null;

  constructor() {
    super();
    this.#read();
    addEventListener("hashchange", () => this.#read() && this.#tell());
  }

  /** The address of what is shown. */
  get address() {
    if (this.view === "run") return runAddress(this.id);
    if (this.view === "command") return commandAddress(this.name);
    return viewAddress(this.view);
  }

  /** Goes to an address: a step on the way back. */
  go(address) {
    if (location.hash !== address) location.hash = address;
    if (this.#read()) this.#tell();
  }

  /** Goes to an address without a step: no reader has asked for it. */
  replace(address) {
    history.replaceState(history.state, "", address);
    if (this.#read()) this.#tell();
  }

  /** Reads the address; false if it asks for nothing else. */
  #read() {
    const fields = new URLSearchParams(location.hash.slice(1));
    const old = fields.get("execution");
    // An address that only brings a token asks for no other view.
    if (fields.has("token") && old === null) return false;
    const was = this.address;
    Object.assign(this, old === null ? parse(location.hash) : parse(runAddress(old)));
    // The addresses that the panel had before.
    if (old !== null && !fields.has("token")) {
      history.replaceState(history.state, "", this.address);
    }
    return was !== this.address;
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

/** The address of a view that is about nothing in particular. */
export function viewAddress(view) {
  return view === "board" ? "#/" : `#/${view}`;
}

export function runAddress(id) {
  return `#/run/${id}`;
}

export function commandAddress(name) {
  return `#/command/${encodeURIComponent(name)}`;
}

function parse(hash) {
  const [, view = "", rest = ""] = /^#\/([a-z]*)(?:\/(.+))?$/.exec(hash) ?? [];
  const place = { view: "board", name: "", id: null };
  if (["runs", "timeline", "messages", "workers"].includes(view)) return { ...place, view };
  const id = Number(rest);
  if (view === "run" && Number.isSafeInteger(id) && id > 0) return { ...place, view, id };
  if (view !== "command" || rest === "") return place;
  try {
    return { ...place, view, name: decodeURIComponent(rest) };
  } catch {
    return place;
  }
}

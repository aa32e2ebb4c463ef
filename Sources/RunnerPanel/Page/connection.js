import { Hub } from "./hub.js";
import { readJSON } from "./json-text.js";

/** A name for this page that no other has. */
function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const WORKER = "worker.js";
const policy = globalThis.trustedTypes?.createPolicy("raclette", {
  createScriptURL(text) {
    if (text !== WORKER) throw new TypeError(`${text} is not the panel's worker`);
    return text;
  },
});

/**
 * This page's end of the stream of events.
 *
 * The events `token` (detail: the token that the tabs share), `state` (detail: the server's first event,
 * or null and a reason), `events` (detail: a list) and `awake` (events are missing) come from it.
 */
export class Connection extends EventTarget {
  /** The page's name at the server. */
  page = randomName();
  #port;
  #token = "";
  #looks = [];

  constructor() {
    super();
    this.#port = this.#connect();
    // A tab that is kept for the way back gets nothing meanwhile.
    addEventListener("pagehide", () => this.#port.postMessage({ type: "bye" }));
    addEventListener("pageshow", (event) => event.persisted && this.open(this.#token));
    addEventListener("online", () => this.#port.postMessage({ type: "hurry" }));
  }

  /** @param {string} token "" for the one that other tabs have */
  open(token) {
    this.#token = token;
    const hello = () => {
      this.#port.postMessage({ type: "hello", page: this.page, token });
      if (this.#looks.length > 0) this.look(this.#looks);
    };
    if (!navigator.locks) return hello();
    // Held as long as this page is there; the hub waits for it.
    navigator.locks.request(`page ${this.page}`, { ifAvailable: true }, (lock) => {
      hello();
      return lock && new Promise(() => {});
    });
  }

  /**
   * Asks for the output of these executions and no others.
   *
   * @param {{execution: number, from: number}[]} looks
   */
  look(looks) {
    this.#looks = looks;
    this.#port.postMessage({ type: "look", looks });
  }

  #connect() {
    const port = this.#shared() ?? this.#own();
    port.onmessage = ({ data }) => this.#receive(data);
    return port;
  }

  /** A hub that all tabs share. */
  #shared() {
    if (typeof SharedWorker === "undefined") return null;
    try {
      const url = policy ? policy.createScriptURL(WORKER) : WORKER;
      const worker = new SharedWorker(url, { type: "module", name: "raclette" });
      worker.onerror = () => {
        this.#port = this.#own();
        this.#port.onmessage = ({ data }) => this.#receive(data);
        this.open(this.#token);
      };
      return worker.port;
    } catch {
      return null;
    }
  }

  /** A hub of this page alone. */
  #own() {
    const { port1, port2 } = new MessageChannel();
    new Hub().attach(port1);
    return port2;
  }

  #receive(data) {
    if (data.type === "token") this.#token = data.token;
    if (data.type !== "events") {
      this.dispatchEvent(new CustomEvent(data.type, { detail: data }));
      return;
    }
    // On receipt: a page that is not drawn takes them all the same.
    this.#port.postMessage({ type: "taken", length: data.text.length });
    this.dispatchEvent(new CustomEvent("events", { detail: readJSON(`[${data.text}]`) }));
  }
}

import { EventStream } from "./event-stream.js";
import { HubClient } from "./hub-client.js";

/**
 * Holds the stream of events for the tabs of a browser, which share it: browsers allow six connections to
 * a host. It lives in a shared worker, or in the page itself where there is none.
 *
 * A tab sends `hello` with its page's name and its token (or none: it gets that of the others), `look`,
 * `taken` for each message, `hurry` and `bye`; it gets `token`, `state` and `events`.
 */
export class Hub {
  #token = "";
  /** Another token, which the panel has not been asked about. */
  #spare = "";
  #stream = null;
  /** The server's first event, while there is a connection. */
  #opening = null;
  #reason = "connecting";
  /** @type {Map<string, HubClient>} */
  #clients = new Map();

  /** @param {MessagePort} port a tab's */
  attach(port) {
    let client = null;
    port.onmessage = ({ data }) => {
      if (data.type === "hello") client = this.#welcome(port, data);
      else if (client === null) return;
      else if (data.type === "look") this.#look(client, data.looks);
      else if (data.type === "taken") client.taken(data.length);
      else if (data.type === "hurry") this.#stream?.hurry();
      else if (data.type === "bye") this.#drop(client);
    };
  }

  #welcome(port, { page, token }) {
    const client = new HubClient(port, page);
    this.#clients.set(page, client);
    // Granted when the tab is gone, however it went.
    navigator.locks?.request(`page ${page}`, () => this.#drop(client));
    if (token && token !== this.#token) this.#offer(token);
    if (this.#opening) this.#register(client);
    if (this.#token !== "") client.send({ type: "token", token: this.#token });
    client.send(this.#state);
    return client;
  }

  #drop(client) {
    if (this.#clients.get(client.page) !== client) return;
    this.#clients.delete(client.page);
    client.end();
    if (this.#opening) this.#request("DELETE", client);
    if (this.#clients.size > 0) return;
    this.#stream?.close();
    this.#stream = null;
    this.#opening = null;
    this.#token = "";
    this.#spare = "";
  }

  /** Takes a tab's token if the panel does. A wrong one leaves the tabs with theirs. */
  async #offer(token) {
    if (this.#token === "") return this.#open(token);
    this.#spare = token;
    const status = await this.#probe(token);
    // Without an answer it is tried once the other one is refused.
    if (status === 0 || this.#spare !== token) return;
    this.#spare = "";
    if (status !== 401) this.#open(token);
  }

  /** The status with which the panel answers a request with a token; 0 for none. */
  async #probe(token) {
    try {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch("api/v1/executions/0", { headers, cache: "no-store" })).status;
    } catch {
      return 0;
    }
  }

  #open(token) {
    this.#stream?.close();
    this.#opening = null;
    this.#reason = "connecting";
    this.#token = token;
    for (const client of this.#clients.values()) client.send({ type: "token", token });
    this.#stream = new EventStream(token, {
      pages: () => [...this.#clients.keys()],
      message: (message) => this.#deliver(message),
      ready: () => this.#ready(),
      lost: (reason) => this.#lost(reason),
    });
  }

  #lost(reason) {
    this.#opening = null;
    this.#reason = reason;
    if (reason === "token") {
      this.#stream?.close();
      this.#token = "";
      const spare = this.#spare;
      this.#spare = "";
      if (spare !== "") return this.#open(spare);
    }
    this.#broadcast(this.#state);
  }

  #deliver({ page, text }) {
    if (page !== "") return this.#clients.get(page)?.deliver(text);
    if (this.#opening === null || text.includes('"type":"stream"')) {
      const opening = JSON.parse(`[${text}]`).find((event) => event.type === "stream");
      if (opening) {
        this.#opening = opening;
        this.#broadcast(this.#state);
        return;
      }
    }
    for (const client of this.#clients.values()) client.deliver(text);
  }

  /** Waits until no tab has too much that it has not taken. */
  async #ready() {
    for (const client of this.#clients.values()) {
      if (await client.isReady()) continue;
      // It sleeps. The others go on; it looks again when it wakes up.
      this.#look(client, []);
    }
  }

  #look(client, looks) {
    client.looks = looks;
    if (this.#opening) this.#register(client);
  }

  #register(client) {
    this.#request("PUT", client, { stream: this.#opening.stream, look: client.looks });
  }

  /** Asks something about a page. A request that fails is made again with the next connection. */
  #request(method, client, body) {
    const headers = { Authorization: `Bearer ${this.#token}` };
    if (body) headers["Content-Type"] = "application/json";
    client.inTurn(() =>
      fetch(`api/v1/pages/${client.page}`, {
        method, headers, body: body && JSON.stringify(body),
      }));
  }

  get #state() {
    return { type: "state", opening: this.#opening, reason: this.#reason };
  }

  #broadcast(message) {
    for (const client of this.#clients.values()) client.send(message);
  }
}

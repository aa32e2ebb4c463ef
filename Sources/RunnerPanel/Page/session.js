import { RequestError } from "./api.js";

/** After how many milliseconds a load that failed is tried again. */
const PAUSE = 1_000;

/**
 * Keeps the model up to date: it loads what there is when a connection opens, and applies the events that
 * come after that.
 *
 * The events `state` (the connection has changed), `output` (detail: events with values), `refreshed`
 * (detail: a command's name), `renewed` (everything was loaded; the detail says by `isOther` that another
 * panel answers, by `hasGap` that events were lost) and `token` (the panel refuses the token) come from it.
 */
export class Session extends EventTarget {
  isConnected = false;
  /** Why it is not: `connecting`, `ended`, `refused`, `silent` or `token`. */
  reason = "connecting";
  #api;
  #connection;
  #model;
  #server = "";
  /** Events that came while the answers were on their way; null when there is nothing to wait for. */
  #early = null;
  #loads = 0;

  /**
   * @param {import("./api.js").API} api
   * @param {import("./connection.js").Connection} connection
   * @param {import("./model.js").Model} model
   */
  constructor(api, connection, model) {
    super();
    this.#api = api;
    this.#connection = connection;
    this.#model = model;
    connection.addEventListener("state", ({ detail }) => this.#connected(detail));
    connection.addEventListener("events", ({ detail }) => this.#receive(detail));
    connection.addEventListener("awake", () => this.#load({ hasGap: true }));
  }

  #connected({ opening, reason }) {
    if (opening === null) {
      this.isConnected = false;
      this.reason = reason;
      this.#model.stop();
      // A stream that has only ended leaves the panel able to answer.
      if (reason === "silent") this.#api.giveUp();
      this.#loads += 1;
      this.#tell("state");
      if (reason === "token") this.#tell("token");
      return;
    }
    this.#model.setClock(opening.ts);
    const isOther = this.#server !== "" && this.#server !== opening.server;
    if (isOther) this.#model.clear();
    this.#server = opening.server;
    this.#load({ isOther });
  }

  /** Loads everything, then applies what has happened meanwhile. */
  async #load({ isOther = false, hasGap = isOther } = {}) {
    const number = ++this.#loads;
    this.#early ??= [];
    try {
      const [commands, executions] = await Promise.all([
        this.#api.commands(), this.#api.executions(),
      ]);
      if (number !== this.#loads) return;
      this.#model.takeCommands(commands);
      this.#model.takeExecutions(executions);
      const early = this.#early;
      this.#early = null;
      for (const event of early) {
        if (event.seq > (isAboutCommand(event) ? commands : executions).seq) this.#apply(event);
      }
      this.isConnected = true;
      this.#tell("state");
      this.#tell("renewed", { isOther, hasGap });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.status === 401) this.#tell("token");
      else setTimeout(() => number === this.#loads && this.#load({ isOther, hasGap }), PAUSE);
    }
  }

  #receive(events) {
    const outputs = events.filter((event) => event.n !== undefined);
    if (outputs.length > 0) this.#tell("output", outputs);
    if (outputs.length === events.length) return;
    for (const event of events) {
      if (event.n !== undefined) continue;
      if (this.#early !== null) this.#early.push(event);
      else this.#apply(event);
    }
  }

  #apply(event) {
    if (event.type === "gap") this.#load({ hasGap: true });
    else if (event.type === "refreshed") this.#tell("refreshed", event.command);
    else if (event.type === "reloaded") {
      this.#model.apply(event);
      this.#load();
    } else this.#model.apply(event);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function isAboutCommand(event) {
  return event.type === "enabled" || event.type === "reloaded";
}

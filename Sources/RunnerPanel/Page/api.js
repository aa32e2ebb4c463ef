import { readJSON } from "./json-text.js";

/** A request that the panel refused, or could not be asked for (status 0). */
export class RequestError extends Error {
  /**
   * @param {number} status
   * @param {Object<string, any>} fields what the answer says, at least `kind` and `message`
   */
  constructor(status, fields) {
    super(fields.message);
    this.status = status;
    this.fields = fields;
  }

  get kind() {
    return this.fields.kind;
  }
}

/** The panel's requests. */
export class API {
  token = "";
  #departure = new AbortController();

  /** Gives up the requests that have no answer yet: the panel is not there. */
  giveUp() {
    this.#departure.abort();
    this.#departure = new AbortController();
  }

  commands() {
    return this.#request("GET", "commands");
  }

  executions() {
    return this.#request("GET", "executions");
  }

  /**
   * Executes a command.
   *
   * @param {string} name
   * @param {string} body a JSON document
   */
  execute(name, body) {
    return this.#request("POST", `commands/${encodeURIComponent(name)}/executions`, body);
  }

  /** The same for a refresh control of a page. */
  refresh(page, body) {
    return this.#request("POST", `pages/${page}/refreshes`, body);
  }

  /** Restarts a service; the answer comes when it is ready. */
  restart(name) {
    return this.#request("POST", `commands/${encodeURIComponent(name)}/restarts`, "{}");
  }

  /** The last lines that a service has printed. */
  log(name) {
    return this.#request("GET", `commands/${encodeURIComponent(name)}/log`);
  }

  /** A page of what an execution has sent, from an output on. */
  values(execution, from) {
    return this.#request("GET", `executions/${execution}/values?from=${from}&limit=10000`);
  }

  /** The last outputs of an execution. */
  tail(execution, count) {
    return this.#request("GET", `executions/${execution}/values?from=-${count}&limit=${count}`);
  }

  /** The executions of a command over days. */
  history(name) {
    return this.#request("GET", `commands/${encodeURIComponent(name)}/history?limit=500`);
  }

  cancel(execution) {
    return this.#request("DELETE", `executions/${execution}`);
  }

  /** Sends a line to the process of an execution. */
  input(execution, text) {
    return this.#request("POST", `executions/${execution}/input`, JSON.stringify({ text }));
  }

  async #request(method, path, body) {
    const headers = { Authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let answer;
    try {
      answer = await fetch(`api/v1/${path}`, {
        method, headers, body, cache: "no-store", signal: this.#departure.signal,
      });
    } catch {
      throw new RequestError(0, { kind: "network", message: "the panel gives no answer" });
    }
    const isJSON = answer.headers.get("Content-Type")?.startsWith("application/json");
    const document = isJSON ? readJSON(await answer.text()) : {};
    if (answer.ok) return document;
    const { status } = answer;
    const nothing = { kind: "http", message: `the panel answered with status ${status}` };
    throw new RequestError(status, document.error ?? nothing);
  }
}

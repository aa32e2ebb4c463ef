import { RequestError } from "./api.js";

/**
 * @typedef {{questions: {command: string, question: string}[],
 *   steps: {command: string, input: any}[]}} Asked
 */

/**
 * Presses controls: asks what a command asks, and tells what became of it.
 */
export class Presses {
  #api;
  #page;
  #confirm;

  /**
   * @param {import("./api.js").API} api
   * @param {string} page the page's name
   * @param {(asked: Asked) => Promise<boolean>} confirm
   */
  constructor(api, page, confirm) {
    this.#api = api;
    this.#page = page;
    this.#confirm = confirm;
  }

  /**
   * Executes a command.
   *
   * @param {string} name
   * @param {{input?: string, arguments?: string}} given JSON documents
   * @returns {Promise<number | null>} the execution; null if the reader would rather not
   */
  execute(name, given) {
    return this.#ask(given, (body) => this.#api.execute(name, body));
  }

  /**
   * Executes a command with the input of an earlier execution.
   *
   * @param {string} name
   * @param {string} [input] a JSON document
   */
  repeat(name, input) {
    return this.#ask({ input }, (body) => this.#api.execute(name, body));
  }

  /** Executes a command with the input of its item in the header. */
  executePinned(name) {
    return this.#ask({ pinned: "true" }, (body) => this.#api.execute(name, body));
  }

  /** Executes a command as this page's refresh control. */
  refresh(name) {
    const fields = { command: JSON.stringify(name) };
    return this.#ask(fields, (body) => this.#api.refresh(this.#page, body));
  }

  /**
   * @param {Object<string, string | undefined>} fields JSON documents
   * @param {(body: string) => Promise<{id: number}>} request
   */
  async #ask(fields, request) {
    try {
      return (await request(body(fields))).id;
    } catch (error) {
      if (!(error instanceof RequestError) || error.kind !== "confirm") throw error;
      if (!(await this.#confirm(error.fields))) return null;
      return (await request(body({ ...fields, confirmed: "true" }))).id;
    }
  }
}

function body(fields) {
  const given = Object.entries(fields).filter(([, text]) => text !== undefined);
  return `{${given.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

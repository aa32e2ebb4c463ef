import { Kept } from "./kept.js";

/** What was typed into forms and not sent, kept for a reload of the page: never a secret. */
export class Drafts {
  #kept;
  #byCommand;

  /** @param {string} folder of the project: another has other commands of the same names */
  constructor(folder) {
    this.#kept = new Kept("sessionStorage", `typed ${folder}`);
    this.#byCommand = this.#kept.value ?? {};
  }

  /**
   * @param {string} command
   * @returns {Object<string, string | boolean>} by parameter
   */
  of(command) {
    return Object.hasOwn(this.#byCommand, command) ? this.#byCommand[command] : {};
  }

  keep(command, typed) {
    this.#byCommand[command] = typed;
    if (Object.keys(typed).length === 0) delete this.#byCommand[command];
    this.#kept.value = this.#byCommand;
  }
}

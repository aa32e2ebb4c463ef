import { RequestError } from "./api.js";
import { plainText } from "./ansi.js";
import { element, setAttribute, setText } from "./dom.js";
import { elapsedText } from "./execution-row.js";
import { isActive } from "./model.js";
import { address } from "./selection.js";
import { makeSign, setSign } from "./sign.js";
import { endText, executionState, stepText } from "./state-text.js";

/** How many of the last lines are shown. */
const LINES = 200;

/** An execution that another one needs: its state and its time, and below them the end of its output. */
export class NeedSection {
  root;
  #api;
  #execution;
  #details;
  #sign = makeSign();
  #state = element("span", { class: "state" });
  #time = element("span", { class: "elapsed" });
  #log;
  #isLoading = false;
  /** What the log shows: of a need that has ended it is loaded once. */
  #loaded = "";

  /**
   * @param {import("./api.js").API} api
   * @param {import("./model.js").Execution} execution
   */
  constructor(api, execution) {
    this.#api = api;
    this.#execution = execution;
    const { id, command } = execution;
    this.#log = element("pre", { class: "log", tabindex: "0", "aria-label": `Output of ${command} #${id}` });
    this.#details = element(
      "details", { toggle: () => this.#load() },
      element(
        "summary", {}, this.#sign, element("span", { class: "name" }, command), " ",
        element("span", { class: "number" }, `#${id}`), " ", this.#state, " ", this.#time),
      this.#log, element("a", { href: address(id) }, "Whole run"));
    this.root = element("li", {}, this.#details);
  }

  /**
   * @param {import("./model.js").Execution} execution
   * @param {number} now
   */
  draw(execution, now) {
    const { state } = execution;
    if (state === "failed" && this.root.dataset.state !== "failed") this.#details.open = true;
    this.#execution = execution;
    setAttribute(this.root, "data-state", state);
    setSign(this.#sign, state);
    setText(this.#state, endText(execution) || executionState(execution));
    setText(this.#time, elapsedText(execution, now));
    this.#load();
  }

  async #load() {
    const { id, state } = this.#execution;
    if (!this.#details.open || this.#isLoading || this.#loaded === state && !isActive({ state })) return;
    this.#isLoading = true;
    try {
      setText(this.#log, textOf(await this.#api.tail(id, LINES)) || "No output.");
      this.#loaded = state;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      setText(this.#log, error.message);
      // An answer stays the same: what is no longer kept does not come back.
      if (error.status) this.#loaded = state;
    }
    this.#isLoading = false;
  }
}

/** Lines as a terminal would leave them, without colours. */
function textOf({ events }) {
  const text = events.map((event) => {
    const { step: number, steps: count, name, value = "", chunk } = event;
    if (number !== undefined) return `${stepText({ number, count, name })}\n`;
    return `${value}${chunk ? "" : "\n"}`;
  }).join("");
  return text.trimEnd().split("\n").slice(-LINES).map((line) => plainText(line)).join("\n");
}

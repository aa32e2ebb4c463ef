import { element, setAttribute, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { address } from "./selection.js";
import { clockText } from "./time-text.js";

/** Errors and what scripts log, the latest first; the tab counts the errors. */
export class MessagesView {
  #model;
  #list = document.getElementById("messages");
  #none = document.getElementById("no-message");
  #count = document.getElementById("error-count");

  /** @param {import("./model.js").Model} model */
  constructor(model) {
    this.#model = model;
    model.addEventListener("message", onNextFrame(() => this.#draw()));
  }

  #draw() {
    const { messages } = this.#model;
    this.#list.replaceChildren(...messages.toReversed().map(row));
    show(this.#none, messages.length === 0);
    const errors = messages.filter((message) => message.level === "error").length;
    setText(this.#count, errors === 0 ? "" : String(errors));
    setAttribute(this.#count, "aria-label", errors === 1 ? "1 error" : `${errors} errors`);
  }
}

function row({ time, command, execution, message, level }) {
  const source = execution === undefined
    ? element("span", { class: "name" }, command ?? level)
    : element("a", { class: "name", href: address(execution) }, `${command} #${execution}`);
  return element(
    "li", { "data-level": level },
    element("time", {}, clockText(time)), " ", source, " ",
    element("span", { class: "text" }, message));
}

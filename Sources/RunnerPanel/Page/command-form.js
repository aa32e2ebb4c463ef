import { element, setText, show } from "./dom.js";
import { Field } from "./field.js";

/** The form of a command's input: a field for each parameter, or one for JSON. */
export class CommandForm {
  /** A disclosure; null for a command without parameters. */
  root = null;
  #fields = [];
  #json = null;
  #problem;
  #declared = "";

  /** @param {() => void} submit */
  constructor(submit) {
    this.#problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.form = element("form", {
      autocomplete: "off",
      submit: (event) => {
        event.preventDefault();
        submit();
      },
    });
    this.root = element("details", { class: "input" }, element("summary"), this.form);
  }

  /** What is said about the input as a whole. */
  get problem() {
    return this.#problem;
  }

  /** Makes the fields. Those of the same parameters stay, with what was typed. */
  update({ params = [], open }) {
    const declared = JSON.stringify([params, open]);
    if (declared === this.#declared) return;
    this.#declared = declared;
    this.#fields = params.map((parameter) => new Field(parameter));
    this.#json = open && params.length === 0 ? new Field({ name: "JSON", type: "string" }) : null;
    const fields = this.#all;
    this.form.replaceChildren(
      ...fields.map((field) => field.root),
      // Enter in a field presses this; a reader presses the command's own button.
      element("button", { type: "submit", class: "unseen", tabindex: -1, "aria-hidden": "true" }));
    setText(this.root.querySelector("summary"), this.#json ? "input" : params.map(label).join(", "));
    show(this.root, fields.length > 0);
  }

  /**
   * The input as a JSON document; undefined for none.
   *
   * @returns {string | undefined}
   * @throws {RequestError} for a text that is no JSON
   */
  get input() {
    if (this.#json) return this.#json.document;
    const given = this.#fields.map((field) => [field.name, field.value]);
    const fields = given.filter(([, value]) => value !== undefined);
    if (this.#fields.length === 0) return undefined;
    return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
  }

  get #all() {
    return this.#json ? [this.#json] : this.#fields;
  }

  /** Shows what is wrong with the input, at the field that a message names. */
  complain(message) {
    for (const field of this.#all) field.complain("");
    const named = this.#all.find((field) => message.includes(`'${field.name}'`));
    setText(this.#problem, named ? "" : message);
    show(this.#problem, !named && message !== "");
    if (!named) return;
    this.root.open = true;
    named.complain(message);
    named.focus();
  }
}

function label({ name, required }) {
  return required ? `${name}*` : name;
}

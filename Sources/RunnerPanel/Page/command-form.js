import { arrange, element, setText, show } from "./dom.js";
import { Field } from "./field.js";

/** The field of a command that declares no parameters. */
const ANY = { name: "JSON", type: "string" };

/** The form of a command's input: a field for each parameter, or one for JSON. */
export class CommandForm {
  /** A disclosure, which is hidden for a command without input. */
  root;
  /** What is said about the input as a whole. */
  problem = element("p", { class: "problem", role: "alert", hidden: true });
  #form;
  // Enter in a field presses this; a reader presses the command's own button.
  #submit = element(
    "button", { type: "submit", class: "unseen", tabindex: -1, "aria-hidden": "true" });
  #summary = element("summary");
  /** @type {Field[]} */
  #fields = [];
  #isOpen = false;
  #declared = "";

  /** @param {() => void} submit */
  constructor(submit) {
    this.#form = element("form", {
      autocomplete: "off",
      submit: (event) => {
        event.preventDefault();
        submit();
      },
    });
    this.root = element("details", { class: "input" }, this.#summary, this.#form);
  }

  /** The field of a parameter: the one that there is, or a new one with what was typed. */
  #field(parameter) {
    const known = this.#fields.find((field) => field.name === parameter.name);
    if (known && JSON.stringify(known.parameter) === JSON.stringify(parameter)) return known;
    const field = new Field(parameter);
    if (known) field.takeOver(known);
    return field;
  }

  /**
   * Makes the fields. What was typed stays where there is still such a parameter.
   *
   * @param {{params?: import("./model.js").Parameter[], open?: boolean}} command
   */
  update({ params = [], open = false }) {
    const declared = JSON.stringify([params, open]);
    if (declared === this.#declared) return;
    this.#declared = declared;
    this.#isOpen = open && params.length === 0;
    const focused = this.#fields.find((field) => field.hasFocus);
    this.#fields = (this.#isOpen ? [ANY] : params).map((parameter) => this.#field(parameter));
    arrange(this.#form, [...this.#fields.map((field) => field.root), this.#submit]);
    const successor = focused && this.#fields.find((field) => field.name === focused.name);
    if (successor && !successor.hasFocus) successor.focus();
    setText(this.#summary, this.#isOpen ? "input" : params.map(label).join(", "));
    show(this.root, this.#fields.length > 0);
  }

  /**
   * The fields of a press, as JSON documents: the input, or what is typed for the parameters.
   *
   * @returns {{input?: string, arguments?: string}}
   * @throws {RequestError} for a text that is no JSON
   */
  get given() {
    if (this.#isOpen) return { input: this.#fields[0].document };
    if (this.#fields.length === 0) return {};
    const typed = this.#fields.map((field) => [field.name, field.typed]);
    return { arguments: JSON.stringify(Object.fromEntries(typed)) };
  }

  /** A press was accepted: no secret stays for whoever comes next. */
  forgetSecrets() {
    for (const field of this.#fields) field.forgetSecret();
  }

  /**
   * Shows why a press was refused, at the parameter's field if it is about one.
   *
   * @param {import("./api.js").RequestError} error
   */
  complain({ message, fields: { field: about } }) {
    this.forgive();
    const field = this.#fields.find((each) => each.name === about);
    if (field) {
      this.root.open = true;
      field.complain(message);
      field.focus();
    } else {
      setText(this.problem, message);
      show(this.problem, true);
    }
  }

  /** Nothing is wrong any more. */
  forgive() {
    for (const field of this.#fields) field.complain("");
    show(this.problem, false);
  }
}

function label({ name, required }) {
  return required ? `${name}*` : name;
}

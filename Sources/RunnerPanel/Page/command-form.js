import { arrange, element, setAttribute, setText, show } from "./dom.js";
import { Field } from "./field.js";

/** The field of a command that declares no parameters. */
const ANY = { name: "JSON", type: "string", mayHoldSecrets: true };

/**
 * The form of a command's input: a field for each parameter, or one for JSON. It is made when it is opened,
 * or when something that was typed before is there.
 */
export class CommandForm {
  /** Opens and closes it; hidden for a command without input. */
  toggle;
  /** What is said about the input as a whole. */
  problem = element("p", { class: "problem", role: "alert", hidden: true });
  #form = null;
  #submit;
  #drafts;
  #name;
  #row = null;
  #parameters = [];
  /** @type {Field[]} */
  #fields = [];
  #isOpen = false;
  #declared = "";

  /**
   * @param {() => void} submit
   * @param {import("./drafts.js").Drafts} drafts what was typed before
   * @param {string} name the command's
   */
  constructor(submit, drafts, name) {
    this.#submit = submit;
    this.#drafts = drafts;
    this.#name = name;
    this.toggle = element("button", {
      type: "button", class: "inputs", "aria-expanded": "false", hidden: true,
      click: () => this.unfold(this.#form?.hidden ?? true),
    });
  }

  /** Shows or hides the fields. */
  unfold(isOpen) {
    if (isOpen) this.#make();
    if (this.#form) show(this.#form, isOpen);
    setAttribute(this.toggle, "aria-expanded", String(isOpen));
  }

  open() {
    this.unfold(true);
    this.#fields[0]?.focus();
  }

  #make() {
    if (this.#form) return;
    this.#form = element("form", {
      class: "input", autocomplete: "off",
      submit: (event) => {
        event.preventDefault();
        this.#submit();
      },
      input: () => this.#keep(),
    });
    this.#row.querySelector(".head").after(this.#form);
    this.#makeFields();
    const drafts = this.#drafts.of(this.#name);
    for (const field of this.#fields) {
      if (field.isKept && Object.hasOwn(drafts, field.name)) field.restore(drafts[field.name]);
    }
  }

  #makeFields() {
    const focused = this.#fields.find((field) => field.hasFocus);
    this.#fields = this.#parameters.map((parameter) => this.#field(parameter));
    // Enter in a field presses this; a reader presses the command's own button.
    const submit = this.#form.querySelector("[type=submit]") ?? element(
      "button", { type: "submit", class: "unseen", tabindex: -1, "aria-hidden": "true" });
    arrange(this.#form, [...this.#fields.map((field) => field.root), submit]);
    const successor = focused && this.#fields.find((field) => field.name === focused.name);
    if (successor && !successor.hasFocus) successor.focus();
  }

  #keep() {
    const kept = this.#fields.filter((field) => field.isKept && field.draft !== undefined);
    this.#drafts.keep(
      this.#name, Object.fromEntries(kept.map((field) => [field.name, field.draft])));
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
   * Takes over the parameters. What was typed stays where there is still such a parameter.
   *
   * @param {{params?: import("./model.js").Parameter[], open?: boolean}} command
   * @param {Element} row where the form has its place, behind the head
   */
  update({ params = [], open = false }, row) {
    this.#row = row;
    const declared = JSON.stringify([params, open]);
    if (declared === this.#declared) return;
    this.#declared = declared;
    this.#isOpen = open && params.length === 0;
    this.#parameters = this.#isOpen ? [ANY] : params;
    setText(this.toggle, this.#isOpen ? "input" : params.map(label).join(", "));
    setAttribute(this.toggle, "aria-label", `Input of ${this.#name}: ${this.toggle.textContent}`);
    show(this.toggle, this.#parameters.length > 0);
    if (this.#form) this.#makeFields();
    else if (Object.keys(this.#drafts.of(this.#name)).length > 0) this.unfold(true);
    if (this.#parameters.length === 0) this.unfold(false);
  }

  /**
   * The fields of a press, as JSON documents: the input, or what is typed for the parameters.
   *
   * @returns {{input?: string, arguments?: string}}
   * @throws {RequestError} for a text that is no JSON
   */
  get given() {
    if (this.#fields.length === 0) return {};
    if (this.#isOpen) return { input: this.#fields[0].document };
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
    if (this.#parameters.some((each) => each.name === about)) this.unfold(true);
    const field = this.#fields.find((each) => each.name === about);
    if (field) {
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

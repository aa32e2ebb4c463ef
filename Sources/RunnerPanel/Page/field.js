import { RequestError } from "./api.js";
import { element, setAttribute, setText, show } from "./dom.js";

let count = 0;

/** The form's field of a parameter. */
export class Field {
  /** The label, the control and the message. */
  root;
  #parameter;
  #control;
  #problem;
  /** What the control says before anything is typed. */
  #initial;

  /** @param {import("./model.js").Parameter} parameter */
  constructor(parameter) {
    this.#parameter = parameter;
    const id = `field-${++count}`;
    this.#control = makeControl(parameter);
    this.#control.id = id;
    this.#control.name = parameter.name;
    const describedBy = [];
    const help = element("span", { class: "help", id: `${id}-help` }, helpText(parameter));
    if (help.textContent !== "") describedBy.push(help.id);
    this.#problem = element("span", { class: "problem", id: `${id}-problem`, hidden: true });
    describedBy.push(this.#problem.id);
    setAttribute(this.#control, "aria-describedby", describedBy.join(" "));
    setAttribute(this.#control, "aria-required", parameter.required ? "true" : false);
    this.#initial = this.#content;
    this.#control.addEventListener("input", () => this.complain(""));
    const label = element("label", { for: id }, parameter.name);
    if (parameter.required) {
      label.append(element("span", { class: "required", "aria-hidden": "true" }, "*"));
    }
    this.root = element(
      "div", { class: `field ${parameter.type}` }, label, this.#control, help, this.#problem);
  }

  get name() {
    return this.#parameter.name;
  }

  get parameter() {
    return this.#parameter;
  }

  focus() {
    this.#control.focus();
  }

  get hasFocus() {
    return document.activeElement === this.#control;
  }

  /** Takes over what was typed into another field, if this one can have it. */
  takeOver(other) {
    const [own, typed] = [this.#control, other.#control];
    if (other.#content === other.#initial) return;
    if (own.type === "checkbox" || typed.type === "checkbox") {
      if (own.type !== typed.type) return;
      own.checked = typed.checked;
    } else if (own.matches("select")) {
      if (![...own.options].some((option) => option.value === typed.value)) return;
      own.value = typed.value;
    } else {
      own.value = typed.value;
    }
  }

  get #content() {
    return this.#control.type === "checkbox" ? this.#control.checked : this.#control.value;
  }

  /** Shows what is wrong with the value; "" for nothing. */
  complain(message) {
    setText(this.#problem, message);
    show(this.#problem, message !== "");
    setAttribute(this.#control, "aria-invalid", message !== "" && "true");
  }

  /**
   * The text itself as a JSON document; undefined for none.
   *
   * @throws {RequestError} if it is no JSON
   */
  get document() {
    const text = this.#control.value.trim();
    if (text === "") return undefined;
    try {
      JSON.parse(text);
    } catch (error) {
      const message = `the input is not JSON: ${error.message}`;
      throw new RequestError(0, { kind: "input", field: this.name, message });
    }
    return text;
  }

  /**
   * What is typed, which the panel reads as the command line does; undefined to leave it to the default.
   *
   * @returns {string | string[] | undefined}
   */
  get typed() {
    const { type, rest, required, default: usual } = this.#parameter;
    if (type === "boolean" && !rest) {
      if (this.#control.checked) return "true";
      return usual === true || required ? "false" : undefined;
    }
    const text = this.#control.value;
    if (rest) {
      const lines = text.split("\n").filter((line) => line !== "");
      if (lines.length === 0) return undefined;
      return lines;
    }
    // A text may be empty, where it would be another without.
    if (text === "" && !(type === "string" && usual !== undefined)) return undefined;
    return text;
  }

  /** Whether what is typed may be kept: a secret may not. */
  get isKept() {
    return !this.#parameter.secret && !this.#parameter.mayHoldSecrets;
  }

  /** Leaves no secret behind. */
  forgetSecret() {
    if (!this.isKept) this.#control.value = "";
  }

  /** What is typed, to be kept for a reload; undefined for what the control had before. */
  get draft() {
    return this.#content === this.#initial ? undefined : this.#content;
  }

  /** Takes back what was typed before a reload. */
  restore(draft) {
    if (typeof draft === "boolean") this.#control.checked = draft;
    else this.#control.value = draft;
  }
}

function makeControl({ type, rest, choices, required, secret, default: usual }) {
  const given = usual === undefined ? "" : String(usual);
  if (rest) return element("textarea", { rows: 2, spellcheck: "false", autocapitalize: "off" });
  if (type === "boolean") return element("input", { type: "checkbox", checked: usual === true });
  if (choices?.length > 0) {
    const isEmptyAllowed = usual === undefined;
    const all = choices.map(String);
    const texts = isEmptyAllowed ? ["", ...all] : all;
    const label = required ? "choose…" : "–";
    return element("select", {}, ...texts.map((text) =>
      element("option", { value: text, selected: text === given }, text === "" ? label : text)));
  }
  const isNumber = type === "integer" || type === "number";
  return element("input", {
    type: secret ? "password" : "text", value: given, spellcheck: "false", autocapitalize: "off",
    autocomplete: secret ? "new-password" : "off",
    inputmode: isNumber && (type === "integer" ? "numeric" : "decimal"),
  });
}

function helpText({ help, type, rest }) {
  const form = rest ? "one a line" : type === "string" || type === "boolean" ? "" : type;
  return [help, form].filter(Boolean).join("; ");
}

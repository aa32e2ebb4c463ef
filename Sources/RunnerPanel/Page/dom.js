/**
 * Makes an element. Children that are strings become text nodes: no string is ever read as markup.
 *
 * @param {string} name
 * @param {Object<string, string | number | boolean | EventListener>} [properties] attributes; true
 *   sets one without a value, false leaves it out, and a function listens to the event of that name
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  apply(made, properties);
  made.append(...children);
  return made;
}

/** The same for SVG. */
export function shape(name, properties = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  apply(made, properties);
  made.append(...children);
  return made;
}

function apply(made, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else setAttribute(made, name, value);
  }
}

/** Sets an attribute, or takes it away; one that has the value already is left alone. */
export function setAttribute(target, name, value) {
  if (value === false || value === null || value === undefined) target.removeAttribute(name);
  else {
    const text = value === true ? "" : String(value);
    if (target.getAttribute(name) !== text) target.setAttribute(name, text);
  }
}

/** Sets the text of an element; one that has it already is left alone, and so is its selection. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Shows or hides an element. */
export function show(target, isShown) {
  if (target.hidden === isShown) target.hidden = !isShown;
}

/**
 * Makes the children of an element exactly these, in this order. Those that stay where they are in the
 * document keep focus, scroll position and selection.
 *
 * @param {Element} parent
 * @param {Element[]} children
 */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let place = parent.firstElementChild;
  for (const child of children) {
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
}

/**
 * Makes the links of an element one stop for Tab: from there arrows, Home and End go to the others.
 *
 * @param {Element} container
 * @returns {(stop: Element | null | undefined) => void} sets the stop, the first link if it is none
 */
export function roving(container) {
  const links = () => [...container.querySelectorAll("a")];
  container.addEventListener("keydown", (event) => {
    const all = links();
    const place = all.indexOf(document.activeElement);
    const next = {
      ArrowDown: place + 1, ArrowRight: place + 1, ArrowUp: place - 1, ArrowLeft: place - 1,
      Home: 0, End: all.length - 1,
    }[event.key];
    if (place < 0 || all[next] === undefined) return;
    event.preventDefault();
    all[next].focus();
  });
  return (stop) => {
    const all = links();
    const chosen = all.includes(stop) ? stop : all[0];
    for (const link of all) link.setAttribute("tabindex", link === chosen ? "0" : "-1");
  };
}

/** How far a finger must pull, in pixels. */
const DISTANCE = 80;

/**
 * Calls when a finger pulls an area down that is at its top. The area shows it by the attribute
 * `data-pull`: `begun`, or `enough` once it would count.
 *
 * @param {HTMLElement} area the element that scrolls
 * @param {() => void} action
 */
export function onPull(area, action) {
  let start = null;
  let distance = 0;
  area.addEventListener("touchstart", ({ touches }) => {
    start = area.scrollTop <= 0 && touches.length === 1 ? touches[0].clientY : null;
    distance = 0;
  }, { passive: true });
  area.addEventListener("touchmove", ({ touches }) => {
    if (start === null) return;
    distance = touches[0].clientY - start;
    if (distance > 8) area.dataset.pull = distance >= DISTANCE ? "enough" : "begun";
    else delete area.dataset.pull;
  }, { passive: true });
  const end = (isDone) => () => {
    if (isDone && start !== null && distance >= DISTANCE) action();
    start = null;
    delete area.dataset.pull;
  };
  area.addEventListener("touchend", end(true));
  area.addEventListener("touchcancel", end(false));
}

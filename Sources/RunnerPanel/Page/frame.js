/**
 * A function that calls `draw` with the next frame, once however often it is called until then.
 *
 * @param {() => void} draw
 */
export function onNextFrame(draw) {
  let frame = 0;
  return () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
}

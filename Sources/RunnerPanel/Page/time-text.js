/**
 * A duration as a reader wants it: `40 ms`, `12.3 s`, `4 min 05 s`, `2 h 14 min`.
 *
 * @param {number} seconds
 */
export function durationText(seconds) {
  const time = Math.max(0, seconds);
  if (time < 0.9995) return `${Math.round(time * 1000)} ms`;
  if (time < 59.95) return `${time.toFixed(1)} s`;
  const whole = Math.round(time);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours > 0) return `${hours} h ${twoDigits(minutes)} min`;
  return `${minutes} min ${twoDigits(whole % 60)} s`;
}

/**
 * How long ago something was: `now`, `4 min ago`, `3 h ago`, `2 d ago`.
 *
 * @param {number} seconds
 */
export function ageText(seconds) {
  if (seconds < 45) return "just now";
  if (seconds < 3_570) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 84_600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

/** A time of day as the reader's country writes it, with the day if it is not today. */
export function clockText(seconds) {
  const time = new Date(seconds * 1000);
  const isToday = time.toDateString() === new Date().toDateString();
  const day = { day: "numeric", month: "short" };
  return (isToday ? "" : `${time.toLocaleDateString([], day)}, `) + time.toLocaleTimeString();
}

/** A time of day to the millisecond, always as long: `09:04:05.678`. */
export function stampText(seconds) {
  const date = new Date(seconds * 1000);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits);
  return `${parts.join(":")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

function twoDigits(number) {
  return String(number).padStart(2, "0");
}

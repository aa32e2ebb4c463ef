const KEY = "raclette token";

/**
 * Takes the token out of the address, so that it is neither seen nor copied with a link.
 *
 * @param {string} [otherwise] the address of what is shown, for one that brings only a token
 * @returns {string | null} null if there is none
 */
export function takeGivenToken(otherwise = "") {
  const fields = new URLSearchParams(location.hash.slice(1));
  const given = fields.get("token");
  if (given !== null) {
    fields.delete("token");
    const rest = fields.toString();
    history.replaceState(history.state, "", location.pathname + (rest ? `#${rest}` : otherwise));
    keepToken(given);
  }
  return given;
}

/**
 * The token of this tab: that of the address, or the one that it has had before.
 *
 * @returns {string} "" if there is none
 */
export function takeToken() {
  return takeGivenToken() ?? sessionStorage.getItem(KEY) ?? "";
}

export function keepToken(token) {
  sessionStorage.setItem(KEY, token);
}

export function forgetToken() {
  sessionStorage.removeItem(KEY);
}

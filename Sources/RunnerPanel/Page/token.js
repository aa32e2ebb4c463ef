const KEY = "raclette token";

/**
 * The token of this tab. One in the address is taken out of it, so that it is neither seen nor copied with
 * a link.
 *
 * @returns {string} "" if there is none
 */
export function takeToken() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const given = fields.get("token");
  if (given !== null) {
    fields.delete("token");
    const rest = fields.toString();
    history.replaceState(history.state, "", location.pathname + (rest && `#${rest}`));
    keepToken(given);
  }
  return given ?? sessionStorage.getItem(KEY) ?? "";
}

export function keepToken(token) {
  sessionStorage.setItem(KEY, token);
}

export function forgetToken() {
  sessionStorage.removeItem(KEY);
}

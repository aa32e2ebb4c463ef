/// The folder of what programs keep for a user between their starts.
public enum StateFolder {
  /// The folder of this program, `$XDG_STATE_HOME/raclette` or `~/.local/state/raclette`; nil if no
  /// variable tells it.
  public static var path: String? {
    if let base = ProcessEnvironment.folder(of: "XDG_STATE_HOME") { return "\(base)/raclette" }
    guard let home = ProcessEnvironment.value(of: "HOME"), !home.isEmpty else { return nil }
    return "\(home)/.local/state/raclette"
  }
}

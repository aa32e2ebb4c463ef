@preconcurrency import CEditLine
import LuaRuntime
import Platform
import Scripting

/// The keys of a session and the user's own, in `~/.editrc`, which have the last word.
extension EditLine {
  /// Executes the user's file. A line that puts other keys in the place of all, as `bind -v` does, is
  /// followed by ours, and only what stands behind it can replace them.
  func sourceStartup() {
    guard let path = environment("EDITRC") ?? environment("HOME").map({ "\($0)/.editrc" }),
      let file = fopen(path, "re"), let tokenizer = tok_init(nil)
    else { return }
    defer {
      fclose(file)
      tok_end(tokenizer)
    }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let line {
      var count: Int32 = 0
      var words: UnsafeMutablePointer<UnsafePointer<CChar>?>?
      tok_reset(tokenizer)
      guard tok_str(tokenizer, line, &count, &words) == 0, count > 0, let words,
        let first = words[0].map({ String(cString: $0) }), !first.hasPrefix("#")
      else { continue }
      let options = (1..<Int(count)).compactMap { words[$0].map { String(cString: $0) } }
      el_parse(raw, count, words)
      guard first == "bind" || first.hasSuffix(":bind") else { continue }
      if options.first == "-v" { hasViKeys = true }
      if options.first == "-e" { hasViKeys = false }
      if ["-v", "-e"].contains(options.first) { bindKeys() }
    }
  }

  func bindKeys() {
    bind("^I", "raclette-complete")
    bind("^L", "raclette-clear")
    bind("^R", "em-inc-search-prev")
    // Escape is a command there, and no beginning of longer keys.
    if hasViKeys { return }
    bind("\\e[200~", "raclette-paste")
    bind("^S", "em-inc-search-next")
    bind("\\e[3~", "ed-delete-next-char")
    bind("\\e[H", "ed-move-to-beg")
    bind("\\e[F", "ed-move-to-end")
    bind("\\e[1~", "ed-move-to-beg")
    bind("\\e[4~", "ed-move-to-end")
    bind("\\e[1;5C", "em-next-word")
    bind("\\e[1;5D", "ed-prev-word")
    // Keys without a meaning here must not write their letters.
    for key in ["\\e[5~", "\\e[6~", "\\e[2~", "\\e[201~"] { bind(key, "ed-unassigned") }
  }
}

import Platform
import RunnerCore

/// What the program can show and read.
enum TerminalExamination {
  /// - Parameter color: the value of `--color`.
  static func findings(_ color: String?) -> [Finding] {
    [streams, kind, size, colors(color), locale].compactMap { $0 }
  }

  private static let isAtTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

  private static var streams: Finding {
    let all = [
      ("input", STDIN_FILENO), ("output", STDOUT_FILENO), ("errors", STDERR_FILENO),
    ]
    let names = all.filter { isatty($0.1) == 1 }.map(\.0)
    return .ok(
      "terminal",
      names.count == all.count
        ? "input, output and errors"
        : names.isEmpty ? "none" : names.joined(separator: " and ") + " only")
  }

  private static var kind: Finding? {
    let name = "TERM"
    let remedy = "set TERM to the terminal's kind, such as xterm-256color"
    switch environment("TERM") {
    case "dumb":
      return .warning(name, "dumb: sessions have no line editing or colours", mend: remedy)
    case nil where isAtTerminal:
      return .warning(name, "not set: sessions have no line editing", mend: remedy)
    case nil: return nil
    case let kind?: return .ok(name, kind)
    }
  }

  private static var size: Finding? {
    guard isAtTerminal else { return nil }
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else {
      return .warning(
        "size", "the terminal does not report its size; assuming 80 columns and 24 rows",
        mend: "stty columns 80 rows 24")
    }
    return .ok("size", "\(size.ws_col) columns, \(size.ws_row) rows")
  }

  private static func colors(_ option: String?) -> Finding {
    let style = Style(option: option, descriptor: STDERR_FILENO)
    let cause =
      option.flatMap { $0 == "auto" ? nil : "by --color" }
      ?? (environment("NO_COLOR") != nil
        ? "by NO_COLOR" : environment("FORCE_COLOR") != nil ? "by FORCE_COLOR" : nil)
    return .ok(
      "colours", (style.isColored ? "used" : "not used") + (cause.map { ", \($0)" } ?? ""))
  }

  private static var locale: Finding {
    let variable = ["LC_ALL", "LC_CTYPE", "LANG"].first { environment($0) != nil }
    guard let variable, let name = environment(variable) else {
      return .warning(
        "locale", "LC_ALL, LC_CTYPE and LANG are not set, so programs may not write UTF-8",
        mend: "export LANG=C.UTF-8")
    }
    let text = "\(variable)=\(name)"
    let set = name.lowercased().split(separator: ".").last.map { $0.replacing("-", with: "") } ?? ""
    guard set.prefix(while: { $0 != "@" }) == "utf8" else {
      return .warning(
        "locale", "\(text) is not UTF-8, so programs may not write it",
        mend: "export \(variable)=C.UTF-8")
    }
    defer { setlocale(LC_CTYPE, "C") }
    guard setlocale(LC_CTYPE, "") != nil else {
      return .warning(
        "locale", "\(text) is not installed",
        mend: "export \(variable)=C.UTF-8, or install the locale")
    }
    return .ok("locale", text)
  }
}

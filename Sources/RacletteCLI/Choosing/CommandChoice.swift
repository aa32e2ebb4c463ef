import LineEditor
import Platform
import RunnerCore
import Scripting

/// Lets the user choose a command from a list at the terminal.
struct CommandChoice {
  private let commands: [ScriptCommand]
  private let theme: Theme

  /// - Throws: `UsageError` if there is no terminal, or no command to choose.
  init(_ commands: [ScriptCommand], file: String, _ line: CommandLine) throws(UsageError) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw .input("a choice needs a terminal; 'raclette :list' shows the commands")
    }
    guard !commands.isEmpty else { throw .input("\(file) has no commands to choose from") }
    self.commands = commands
    let style = Style(option: line[.color], descriptor: STDERR_FILENO)
    theme = style.isColored ? .standard : .monochrome
  }

  /// - Returns: the command; nil if the user has left, or the run must end.
  func ask() -> ScriptCommand? {
    var original = termios()
    guard tcgetattr(STDIN_FILENO, &original) == 0 else { return nil }
    var mode = original
    // Ctrl-C and Ctrl-Z are keys here.
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN | ISIG)
    mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
    _ = Terminal.flush()
    TerminalMode.begin(original)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    defer {
      tcsetattr(STDIN_FILENO, TCSADRAIN, &original)
      TerminalMode.forget()
    }
    var chooser = Chooser(
      commands.map {
        Chooser.Item(
          title: Secrets.masked($0.signature).visibleInLine,
          detail: Secrets.masked($0.summary ?? "").visibleInLine)
      }, theme: theme)
    let chosen = choose(&chooser)
    Terminal.transient(chooser.erase())
    return chosen.map { commands[$0] }
  }

  private func choose(_ chooser: inout Chooser) -> Int? {
    var decoder = KeyDecoder()
    var columns = 0
    while !Interruption.hasCome {
      let size = TerminalSize(of: STDERR_FILENO)
      if columns != 0, columns != size.columns {
        Terminal.transient(chooser.resize(columns: size.columns))
      }
      columns = size.columns
      Terminal.transient(chooser.draw(columns: columns, rows: size.rows))
      // An Escape that nothing follows soon is the key.
      let patience: Duration? = decoder.hasPendingEscape ? .milliseconds(50) : nil
      let input = TypedInput.wait(atMost: patience)
      if input == .stop { return nil }
      if input == .bytes {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return nil }
        decoder.feed(bytes.prefix(count))
      }
      let isEscapeKey = input == .nothing && patience != nil
      while let event = decoder.next(escapeIsKey: isEscapeKey) {
        switch chooser.handle(event) {
        case .pending: continue
        case .chosen(let index): return index
        case .cancelled: return nil
        }
      }
    }
    return nil
  }
}

/// The action bound to a key sequence.
public enum KeyBinding: Hashable, Sendable {
  case command(EditorCommand)
  /// An action of the host, by its name.
  case custom(String)
}

/// Maps key sequences to actions.
public struct Keymap: Sendable {
  private var bindings: [[Key]: KeyBinding] = [:]
  private var prefixes: Set<[Key]> = []

  enum Match {
    case binding(KeyBinding)
    /// The sequence needs more keys.
    case prefix
    case none
  }

  /// Creates a keymap without bindings.
  public init() {}

  /// Binds a sequence of keys, and replaces an earlier binding.
  public mutating func bind(_ keys: [Key], to binding: KeyBinding) {
    bindings[keys] = binding
    for count in keys.indices.dropFirst() { prefixes.insert(Array(keys[..<count])) }
  }

  func match(_ keys: [Key]) -> Match {
    if let binding = bindings[keys] { return .binding(binding) }
    return prefixes.contains(keys) ? .prefix : .none
  }

  private init(_ table: [(String, EditorCommand)]) {
    for (name, command) in table {
      guard let keys = Key.sequence(named: name) else { preconditionFailure("no key: \(name)") }
      bind(keys, to: .command(command))
    }
  }

  /// The key bindings of readline and Emacs.
  public static let emacs = Keymap([
    ("C-f", .forwardCharacter), ("Right", .forwardCharacter),
    ("C-b", .backwardCharacter), ("Left", .backwardCharacter),
    ("M-f", .forwardWord), ("C-Right", .forwardWord), ("M-Right", .forwardWord),
    ("M-b", .backwardWord), ("C-Left", .backwardWord), ("M-Left", .backwardWord),
    ("C-a", .beginningOfLine), ("Home", .beginningOfLine),
    ("C-e", .endOfLine), ("End", .endOfLine),
    ("M-<", .beginningOfBuffer), ("C-Home", .beginningOfBuffer),
    ("M->", .endOfBuffer), ("C-End", .endOfBuffer),
    ("C-p", .previousLine), ("Up", .previousLine), ("C-n", .nextLine), ("Down", .nextLine),
    ("PageUp", .previousHistory), ("M-p", .previousHistory), ("M-Up", .previousHistory),
    ("PageDown", .nextHistory), ("M-n", .nextHistory), ("M-Down", .nextHistory),
    ("C-r", .searchBackward), ("C-s", .searchForward),
    ("C-d", .deleteOrEnd), ("Delete", .deleteCharacter),
    ("Backspace", .deleteBackward), ("C-h", .deleteBackward), ("S-Backspace", .deleteBackward),
    ("C-k", .killLine), ("C-u", .killToStart), ("M-d", .killWord), ("C-Delete", .killWord),
    ("M-Backspace", .killWordBackward), ("C-Backspace", .killWordBackward),
    ("C-w", .killBlankWordBackward), ("C-y", .yank), ("M-y", .yankEarlier),
    ("M-.", .yankLastArgument), ("M-_", .redo), ("C-t", .transposeCharacters),
    ("M-t", .transposeWords), ("M-u", .upcaseWord), ("M-l", .downcaseWord),
    ("M-c", .capitalizeWord), ("C-_", .undo), ("C-x C-u", .undo), ("C-x C-r", .redo),
    ("C-q", .quotedInsert), ("C-v", .quotedInsert), ("Enter", .accept), ("C-j", .accept),
    ("M-Enter", .breakLine), ("S-Enter", .breakLine), ("C-o", .breakLine),
    // Enter in the form sent by a terminal in line-editing mode, such as during a run.
    ("C-M-j", .breakLine), ("Tab", .complete),
    ("S-Tab", .completeBackward), ("C-g", .abort), ("Escape", .abort), ("C-l", .clearScreen),
    ("C-x C-e", .editExternally),
  ])
}

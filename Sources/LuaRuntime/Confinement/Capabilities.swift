import CLuaShims

/// The effects that a function may have beyond computing.
///
/// Every entry of the Lua library and every function of Lua's own names what it needs, and a confined
/// interpreter refuses what it does not grant.
public struct Capabilities: OptionSet, Sendable, Hashable {
  /// The bits, as the shim has them.
  public let rawValue: UInt32

  /// A set by its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ bit: Int) { rawValue = UInt32(bit) }

  /// Reading clocks, and waiting.
  public static let time = Capabilities(RAC_LUA_TIME)
  /// Reading standard input.
  public static let input = Capabilities(RAC_LUA_INPUT)
  /// Writing to standard output and standard error.
  public static let output = Capabilities(RAC_LUA_OUTPUT)
  /// Looking at files: their contents, whether they exist, what happens to them.
  public static let files = Capabilities(RAC_LUA_FILES)
  /// Making, writing, renaming and removing files.
  public static let fileChanges = Capabilities(RAC_LUA_FILE_CHANGES)
  /// Starting processes.
  public static let processes = Capabilities(RAC_LUA_PROCESSES)
  /// Reading and setting what belongs to the whole process: its variables and its locale.
  public static let environment = Capabilities(RAC_LUA_ENVIRONMENT)
  /// Looking at the frames and the code of functions.
  public static let introspection = Capabilities(RAC_LUA_INTROSPECTION)
  /// Having the garbage collector run code, by `__gc`.
  public static let finalizers = Capabilities(RAC_LUA_FINALIZERS)
  /// Ending the program.
  public static let exit = Capabilities(RAC_LUA_EXIT)
  /// Running what can break the interpreter: C modules, compiled chunks, the debug library.
  public static let unsafeCode = Capabilities(RAC_LUA_UNSAFE_CODE)

  /// All of them.
  public static let all: Capabilities = [
    .time, .input, .output, .files, .fileChanges, .processes, .environment, .introspection,
    .finalizers, .exit, .unsafeCode,
  ]
}

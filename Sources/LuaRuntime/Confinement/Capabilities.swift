import CLuaShims

/// The effects that a function may have beyond computing.
///
/// Every entry of the Lua library and every function of Lua's own declares the capabilities that it
/// needs, and a confined interpreter refuses those that it does not grant.
public struct Capabilities: OptionSet, Sendable, Hashable {
  /// The bits, as defined by the shim.
  public let rawValue: UInt32

  /// Makes a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ bit: Int) { rawValue = UInt32(bit) }

  /// Reading clocks, and waiting.
  public static let time = Capabilities(RAC_LUA_TIME)
  /// Reading standard input.
  public static let input = Capabilities(RAC_LUA_INPUT)
  /// Writing to standard output and standard error.
  public static let output = Capabilities(RAC_LUA_OUTPUT)
  /// Inspecting files: their contents, their existence, changes to them.
  public static let files = Capabilities(RAC_LUA_FILES)
  /// Making, writing, renaming and removing files.
  public static let fileChanges = Capabilities(RAC_LUA_FILE_CHANGES)
  /// Starting processes.
  public static let processes = Capabilities(RAC_LUA_PROCESSES)
  /// Reading and setting process-wide state: environment variables and locale.
  public static let environment = Capabilities(RAC_LUA_ENVIRONMENT)
  /// Inspecting the frames and the code of functions.
  public static let introspection = Capabilities(RAC_LUA_INTROSPECTION)
  /// Making the garbage collector run code, through `__gc`.
  public static let finalizers = Capabilities(RAC_LUA_FINALIZERS)
  /// Ending the program.
  public static let exit = Capabilities(RAC_LUA_EXIT)
  /// Running code that can break the interpreter: C modules, compiled chunks, the debug library.
  public static let unsafeCode = Capabilities(RAC_LUA_UNSAFE_CODE)

  /// All of them.
  public static let all: Capabilities = [
    .time, .input, .output, .files, .fileChanges, .processes, .environment, .introspection,
    .finalizers, .exit, .unsafeCode,
  ]
}

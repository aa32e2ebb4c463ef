import CLuaShims

/// A program behind a file of Lua's io library.
///
/// Its members are called inside Lua's file functions, and must not call Lua.
public protocol LuaProgram: AnyObject {
  /// Supervises the program while a script waits for its pipe, about ten times a second and after
  /// each signal. Returns false to make the wait fail.
  func attend() -> Bool

  /// Waits for the program's end, once, when its pipe has been closed.
  ///
  /// - Returns: a status as `waitpid` reports it.
  func finish() -> Int32
}

extension LuaStack {
  /// Pushes a file for our end of a pipe to a program, as `io.popen` returns it. [-0, +1] needs 3
  ///
  /// - Parameters:
  ///   - descriptor: a non-blocking descriptor; the file takes ownership unless this fails.
  ///   - writes: true if the file is for writing rather than reading.
  /// - Returns: 0, or an error number with nothing pushed.
  public func pushFile(of program: some LuaProgram, _ descriptor: Int32, writes: Bool) -> Int32 {
    let box = Unmanaged.passRetained(ProgramBox(program))
    let calls = rac_lua_program(
      attend: { object in
        guard let object else { return false }
        return Unmanaged<ProgramBox>.fromOpaque(object).takeUnretainedValue().program.attend()
      },
      finish: { object in
        guard let object else { return 0 }
        return Unmanaged<ProgramBox>.fromOpaque(object).takeRetainedValue().program.finish()
      })
    let code = rac_lua_push_program(state, descriptor, writes, calls, box.toOpaque())
    if code != 0 { box.release() }
    return code
  }
}

/// The object that C holds for a program.
private final class ProgramBox {
  let program: any LuaProgram

  init(_ program: any LuaProgram) { self.program = program }
}

import EventLoop
import LuaRuntime
import Platform
import Reactive

extension ScriptHost {
  /// Replaces Lua's `os.execute` and `io.popen`: the loop starts the programs in process groups
  /// that end with the run, and whatever ends the script ends them. The results are the same.
  func replaceProgramFunctions() {
    replace("execute", in: "os") { call in try call.executeLine() }
    replace("popen", in: "io") { call in try call.openProgram() }
    // Otherwise Lua's own function reads the same.
    guard !environment.isOwn else { return }
    replace("getenv", in: "os") { call in
      let value = call.host.caller.value(of: try call.lua.string(at: 1))
      return call.returning(value.map { .string(LuaString($0)) } ?? .nil)
    }
  }

  private func replace(
    _ name: String, in library: String, _ body: @escaping (APICall) throws -> LuaOutcome
  ) {
    _ = interpreter.withStack { stack in
      stack.push(interpreter.global(library))
      guard stack.type(at: -1) == .table else { return }
      stack.pushFunction { [unowned(unsafe) self] lua in try body(APICall(host: self, lua: lua)) }
      stack.rawSet(name, at: -2)
    }
  }
}

extension APICall {
  /// Implements `os.execute([command])`.
  fileprivate func executeLine() throws -> LuaOutcome {
    guard has(1) else { return returning(.bool(access("/bin/sh", X_OK) == 0)) }
    let line = try commandLine()
    guard lua.waiting == .possible, host.context.run != nil else {
      try requireVariables(for: "os.execute")
      do throws(SpawnError) {
        let program = try ShellProgram.start(line, host)
        program.wait()
        return returning(results(of: program))
      } catch {
        return returning(refusal(error, nil))
      }
    }
    let purpose = host.context.purpose
    return try wait { wait in
      host.resolve(purpose, in: wait.subscription) { [self] result in
        if case .failure(let error) = result { return wait.finish(.failure(error)) }
        host.context.serving(purpose) { start(line, wait) }
      }
    }
  }

  private func start(_ line: [UInt8], _ wait: Wait) {
    do throws(SpawnError) {
      let program = try ShellProgram.start(line, host)
      program.onEnd { [self] in wait.finish(.success(results(of: program))) }
      wait.subscription.addAsync(onLoop { done in program.leave(done) })
    } catch {
      wait.finish(.success(refusal(error, nil)))
    }
  }

  /// Checks that a function which cannot wait needs no variable that is still to be computed.
  private func requireVariables(for function: String) throws {
    let purpose = host.context.purpose
    guard host.knowsVariables(of: purpose) else {
      throw APIUsageError.uncomputedVariable(for: function).error(at: host.placeOfCall())
    }
    var result = Result<Void, any Error>.success(())
    host.resolve(purpose, in: CompoundDisposable()) { result = $0 }
    if case .failure(let error) = result { throw host.raisable(error) }
  }

  /// Implements `io.popen(command [, mode])`.
  fileprivate func openProgram() throws -> LuaOutcome {
    let line = try commandLine()
    let mode = has(2) ? try lua.string(at: 2) : "r"
    guard mode == "r" || mode == "w" else {
      throw LuaArgumentError.value(at: 2, problem: "invalid mode")
    }
    try requireVariables(for: "io.popen")
    do throws(SpawnError) {
      let (program, descriptor) = try ShellProgram.startPiped(line, writes: mode == "w", host)
      let code = stack.pushFile(of: program, descriptor, writes: mode == "w")
      guard code != 0 else { return .results(1) }
      close(descriptor)
      program.leave {}
      return returning([.nil, .string(systemErrorText(code)), .integer(Int64(code))])
    } catch {
      return returning(refusal(error, line))
    }
  }

  /// Returns a line as C reads it: up to the first zero byte.
  private func commandLine() throws -> [UInt8] {
    Array(try lua.bytes(at: 1).bytes.prefix { $0 != 0 })
  }

  /// Returns `true|nil, "exit"|"signal", code`.
  private func results(of program: ShellProgram) -> [LuaValue] {
    let signal = program.waitStatus & 0x7F
    guard signal == 0 else {
      return [.nil, "signal", .integer(Int64(signal))]
    }
    let code = program.waitStatus >> 8
    return [code == 0 ? true : .nil, "exit", .integer(Int64(code))]
  }

  /// Returns `nil, message, errno`, the form in which Lua reports a system error.
  private func refusal(_ error: SpawnError, _ name: [UInt8]?) -> [LuaValue] {
    let reason = systemErrorText(error.errorNumber)
    let message = (name.map { $0 + Array(": ".utf8) } ?? []) + Array(reason.utf8)
    return [.nil, .string(LuaString(message)), .integer(Int64(error.errorNumber))]
  }

  private func returning(_ values: [LuaValue]) -> LuaOutcome {
    for value in values { stack.push(value) }
    return .results(values.count)
  }
}

import CLuaShims
import Platform

/// Lines that have passed through a pipeline.
public struct LuaLines: Sendable {
  /// At least one line, each with its newline.
  public let text: [UInt8]
  /// The number of lines.
  public let count: Int
}

extension LuaInterpreter {
  /// Sends lines through a pipeline, each as `run` does: with the limits of a call of its own, and up
  /// to the first for which it fails or is stopped. Results that are lines come several at once, but
  /// none later than a script could tell.
  ///
  /// - Parameters:
  ///   - text: lines, each with its newline.
  ///   - lines: receives results that are lines.
  ///   - value: receives any other result.
  public func run(
    _ pipeline: LuaPipeline, lines text: [UInt8],
    into lines: (LuaLines) -> Void, _ value: (LuaValue) -> Void
  ) throws(LuaError) {
    guard pipeline.belongs(to: self) else { throw Self.closedError }
    let error = text.withUnsafeBytes { text in
      withoutActuallyEscaping(lines) { lines in
        send(LineRun(pipeline, text, lines), value)
      }
    }
    if let error { throw error }
  }

  private func send(_ run: LineRun, _ value: (LuaValue) -> Void) -> LuaError? {
    while run.goesOn {
      var result: LuaValue?
      var failure: LuaError?
      do throws(LuaError) { result = try step(run) } catch { failure = error }
      run.handOver()
      if let failure { return failure }
      if let result, !run.isStopped { value(result) }
    }
    return nil
  }

  /// - Returns: a result that is no line, if there is one; then lines may be left.
  private func step(_ run: LineRun) throws(LuaError) -> LuaValue? {
    guard let host = lifetime.confinedHost else { throw Self.closedError }
    lifetime.drain()
    guard let state = rac_lua_begin_feed(host) else { throw unavailable() }
    entries += 1
    defer {
      entries -= 1
      if closeRequested, entries == 0 { close() }
    }
    let stack = LuaStack(state)
    let handler = stack.top
    let status = rac_lua_run_lines(state, run.lines)
    guard status == LUA_OK else { throw stack.takeCallError(status: status) }
    // Not `nil`, which would be Lua's nil.
    let result = stack.top > handler ? stack.value(at: -1) : Optional.none
    stack.top = handler - 1
    return result
  }
}

/// The state of a run, which C calls back.
private final class LineRun {
  let lines: UnsafeMutablePointer<rac_lua_lines>
  private let pipeline: LuaPipeline
  private let receive: (LuaLines) -> Void

  init(
    _ pipeline: LuaPipeline, _ text: UnsafeRawBufferPointer, _ receive: @escaping (LuaLines) -> Void
  ) {
    self.pipeline = pipeline
    self.receive = receive
    lines = .allocate(capacity: 1)
    lines.initialize(to: rac_lua_lines())
    let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    lines.pointee.next = start
    lines.pointee.end = start.map { $0 + text.count }
    lines.pointee.pipeline = pipeline.function.id
    lines.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    lines.pointee.hand_over = { lines in
      Unmanaged<LineRun>.fromOpaque(lines!.pointee.owner!)._withUnsafeGuaranteedRef {
        $0.handOver()
      }
    }
  }

  deinit {
    free(lines.pointee.results)
    lines.deallocate()
  }

  var isStopped: Bool { pipeline.isStopped }
  var goesOn: Bool { !isStopped && lines.pointee.next != lines.pointee.end }

  /// Hands over the lines that wait.
  func handOver() {
    guard lines.pointee.count > 0 else { return }
    let text = UnsafeRawBufferPointer(start: lines.pointee.results, count: lines.pointee.size)
    let results = LuaLines(text: Array(text), count: Int(lines.pointee.count))
    lines.pointee.size = 0
    lines.pointee.count = 0
    receive(results)
  }
}

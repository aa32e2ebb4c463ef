import Platform

/// Ratios of instructions, which depend neither on the machine's load nor on its clock, so that a row
/// that has been reached stays.
func countedBenchmark() {
  guard system("command -v valgrind >/dev/null 2>&1") == 0 else {
    print("counted ratios: skipped, as there is no valgrind (Debian: valgrind)")
    return ratios.withLock { $0.leaveOut(linesTitle, tracesTitle) }
  }
  withTemporaryFolder { folder in
    lines(folder)
    traces(folder)
  }
}

private let linesTitle = "instructions of lines through map and filter in Lua, loop of lua5.4"
private let tracesTitle = "instructions of the loop for no-op entries with traces, without"

private func lines(_ folder: String) {
  guard system("command -v lua5.4 >/dev/null 2>&1") == 0 else {
    print("\(linesTitle): skipped, as there is no lua5.4 (Debian: lua5.4)")
    return ratios.withLock { $0.leaveOut(linesTitle) }
  }
  let functions = """
    local function filter(l) return #l ~= 9 end
    local function map(l) return l .. "!" end

    """
  write((1...100_000).map { "line \($0)\n" }.joined(), to: "\(folder)/lines")
  write(
    functions + "for l in io.lines('\(folder)/lines') do\n"
      + "  if filter(l) then io.write(map(l), '\\n') end\nend\n", to: "\(folder)/loop.lua")
  write(
    functions + "rac.command{name = 'w', run = function()\n"
      + "  return rac.exec{'cat', '\(folder)/lines'}:filter(filter):map(map)\nend}\n",
    to: "\(folder)/commands.lua")
  note(
    linesTitle,
    instructions(of: [raclettePath(), "-C", folder, "run", "w"], in: folder),
    instructions(of: ["lua5.4", "\(folder)/loop.lua"], in: folder))
}

private func traces(_ folder: String) {
  write(
    "rac.command{name = 'n', params = {{name = 'i', type = 'integer'}}, run = function() end}\n",
    to: "\(folder)/commands.lua")
  write(
    (1...2_000).map { "{\"command\":\"n\",\"input\":{\"i\":\($0)}}\n" }.joined(),
    to: "\(folder)/plan")
  let batch = [raclettePath(), "-C", folder, "batch", "-q"]
  note(
    tracesTitle,
    instructions(of: batch + ["--otlp", "http://127.0.0.1:1", "plan"], in: folder),
    instructions(of: batch + ["plan"], in: folder))
}

private func note(_ title: String, _ ours: Int, _ other: Int) {
  let ratio = Double(ours) / Double(max(other, 1))
  print("\(title): \(ours / 1_000) thousand, \(other / 1_000) thousand, ratio \(twoDigits(ratio))")
  ratios.withLock { $0.note(title, ratio) }
}

/// The instructions of the first thread of a program.
private func instructions(of words: [String], in folder: String) -> Int {
  let out = "\(folder)/callgrind"
  runProcess(
    [
      "valgrind", "-q", "--tool=callgrind", "--separate-threads=yes", "--callgrind-out-file=\(out)",
      "--log-file=/dev/null",
    ] + words)
  let text = String(decoding: fileContent("\(out)-01") ?? [], as: UTF8.self)
  let line = text.split(separator: "\n").last { $0.hasPrefix("totals: ") }
  return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
}

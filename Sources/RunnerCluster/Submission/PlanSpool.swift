import Journal
import Platform
import RunnerBatch
import RunnerCore

/// Plans that are read twice: once for the scripts that they name, whose files workers get before the
/// first entry, and once for their entries.
struct PlanSpool {
  private let plans: [String]
  private let digests: PlanDigests

  /// - Throws: if a plan can be read only once, and cannot be copied.
  init(_ plans: [String], _ digests: PlanDigests) throws(UsageError) {
    self.plans = plans
    self.digests = digests
    for plan in plans where plan != "-" {
      var information = stat()
      guard stat(digests.absolute(plan), &information) == 0,
        information.st_mode & S_IFMT != S_IFREG
      else { continue }
      throw .input(
        "the plan '\(plan)' is not a regular file; give its content on standard input: -")
    }
    if plans.contains("-") { try Self.keepInput() }
  }

  /// Copies standard input to a file without a name, which takes its place.
  private static func keepInput() throws(UsageError) {
    guard lseek(STDIN_FILENO, 0, SEEK_CUR) != 0 else { return }
    guard let copy = tmpfile() else { throw problem() }
    defer { fclose(copy) }
    let isCopied = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      while true {
        let count = readBytes(from: STDIN_FILENO, into: space)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return count == 0 }
        if fwrite(space.baseAddress, 1, count, copy) < count { return false }
      }
    }
    guard isCopied, fflush(copy) == 0, dup2(fileno(copy), STDIN_FILENO) >= 0 else {
      throw problem()
    }
    lseek(STDIN_FILENO, 0, SEEK_SET)
  }

  private static func problem() -> UsageError {
    .input("cannot keep the plan of standard input: \(systemErrorText(errno))")
  }

  /// The entries.
  var reader: PlanReader { PlanReader(plans, digests) }

  /// Returns the scripts that the plans name, each once. Blocks while the plans are read.
  func scripts() -> [String] {
    guard plans.contains(where: mayNameScripts) else { return [] }
    var found: Set<String> = []
    reader.readAll { page in
      for planned in page.entries where planned.entry.kind == .script {
        found.insert(planned.entry.command)
      }
    }
    lseek(STDIN_FILENO, 0, SEEK_SET)
    return found.sorted()
  }

  private func mayNameScripts(_ plan: String) -> Bool {
    if plan.hasSuffix(".lua") || plan == "-" { return true }
    let word = Array("script".utf8)
    // A word may begin in one piece and end in the next.
    var end: [UInt8] = []
    var isFound = false
    _ = readFile(digests.absolute(plan)) { piece in
      if isFound { return }
      let seam = end + piece.prefix(word.count - 1)
      isFound = contains(piece, word) || seam.withUnsafeBytes { contains($0, word) }
      end = Array((end + piece.suffix(word.count - 1)).suffix(word.count - 1))
    }
    return isFound
  }

  private func contains(_ bytes: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
    var rest = bytes
    while rest.count >= word.count, let start = rest.baseAddress,
      let first = memchr(start, Int32(word[0]), rest.count - word.count + 1)
    {
      if memcmp(first, word, word.count) == 0 { return true }
      rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(first) - start + 1)...])
    }
    return false
  }
}

import Platform

/// Measures the rows of the public page and writes it. Takes less than ten minutes.
///
/// - Returns: false if the page cannot be written.
func writePublicPage(_ path: String) -> Bool {
  // The page shows lines that people can type, so that the program has to be found by its name.
  let own = raclettePath()
  let bin = "/tmp/raclette-benchmark-public-\(getpid())"
  mkdir(bin, 0o755)
  defer { runProcess(["rm", "-rf", bin]) }
  symlink(own, "\(bin)/raclette")
  setenv("PATH", "\(bin):\(getenv("PATH").map { String(cString: $0) } ?? "")", 1)
  var page = PublicPage()
  for comparison in Comparison.all {
    let measured = comparison.measure(in: bin)
    page.add(comparison, measured)
    let times = measured.map { "\($0.contender.name) \(milliseconds($0.middle))" }
    print("\(comparison.title): \(times.joined(separator: ", "))")
  }
  guard let file = fopen(path, "we") else {
    print("\(path) cannot be written")
    return false
  }
  defer { fclose(file) }
  fputs(page.text, file)
  return true
}

/// The page's text.
private struct PublicPage {
  private var sections = ""
  private var table = ""
  private var losses: [String] = []
  private var versions: [String: String] = [:]
  private var missing: [String: String] = [:]

  mutating func add(_ comparison: Comparison, _ measured: [Measurement]) {
    for contender in [comparison.ours] + comparison.peers {
      if contender.isInstalled {
        versions[contender.version[0]] = "\(contender.versionText) (\(contender.package))"
      } else {
        missing[contender.name] = contender.package
      }
    }
    let ours = measured[0]
    sections += "## \(comparison.title)\n\n\(comparison.description)\n\n"
    sections += "| Program | Median | Middle half | Peak memory | Ours beside it |\n"
    sections += "|---|---|---|---|---|\n"
    for one in measured {
      let half = one.half
      let isOurs = one.contender.line == ours.contender.line
      let ratio = ours.middle / one.middle
      sections +=
        "| \(escaped(one.contender.name)) | \(milliseconds(one.middle)) | \(milliseconds(half.low)) "
        + "to \(milliseconds(half.high)) | \(twoDigits(Double(one.peak) / 1_024)) MB | "
        + "\(isOurs ? "" : twoDigits(ratio)) |\n"
      guard !isOurs else { continue }
      table +=
        "| \(comparison.title) | \(escaped(one.contender.name)) | \(milliseconds(ours.middle)) | "
        + "\(milliseconds(one.middle)) | \(twoDigits(ratio)) |\n"
      if ratio > 1 {
        losses.append(
          "- \(comparison.title): \(twoDigits(ratio)) times as long as \(one.contender.name).")
      }
    }
    sections += "\n\(ours.times.count) rounds.\n\n```sh\n"
    if let preparation = comparison.preparation { sections += preparation + "\n" }
    for one in measured {
      if let first = one.contender.first, first != one.contender.line {
        sections += "\(first)  # once before\n"
      }
      sections += one.contender.line + "\n"
    }
    sections += "```\n\n"
    for file in comparison.shown {
      sections += "`\(file.path)`:\n\n```\n\(file.text)```\n\n"
    }
    let long = comparison.files.filter { file in !comparison.shown.contains { $0.path == file.path }
    }
    if !long.isEmpty {
      let names = long.map { "`\($0.path)`" }.joined(separator: ", ")
      sections +=
        "Longer files, \(names), are made by `Sources/Benchmarks/Public/PublicComparisons.swift`.\n\n"
    }
  }

  var text: String {
    let processor = lineOfProgram("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo")
    let system = lineOfProgram(". /etc/os-release 2>/dev/null; echo \"$PRETTY_NAME\"")
    let lines = versions.sorted { $0.value < $1.value }.map { "- \($0.value)" }
    let absent = missing.sorted { $0.key < $1.key }.map {
      "- \($0.key) was not installed (\($0.value))"
    }
    return """
      # Benchmarks

      What Raclette takes beside the tools that people have, on one machine. Run it again: \
      `scripts/bench public` measures in less than ten minutes and writes this page; packages that \
      are missing are left out and named below.

      The programs are measured in turn, whole processes from their start to their end, so that a \
      change of the machine's speed meets all. The figures are medians, with the bounds of the middle \
      half of the times; a ratio below 1 means that Raclette takes less. Memory is the peak of the \
      program itself.

      - Date: \(lineOfProgram("date -u +%Y-%m-%d"))
      - Machine: \(processor.isEmpty ? "unknown" : processor), \(lineOfProgram("nproc")) processors
      - System: \(system), \(lineOfProgram("uname -sr"))
      \((lines + absent).joined(separator: "\n"))

      | Work | Beside | Ours | Theirs | Ratio |
      |---|---|---|---|---|
      \(table)
      ## Where Raclette loses

      \(losses.isEmpty ? "Nowhere, on this machine." : losses.joined(separator: "\n"))

      \(sections)
      """
  }

  /// A name in a table.
  private func escaped(_ name: String) -> String {
    name.split(separator: "|").joined(separator: "\\|")
  }
}

private func milliseconds(_ seconds: Double) -> String { "\(twoDigits(seconds * 1_000)) ms" }

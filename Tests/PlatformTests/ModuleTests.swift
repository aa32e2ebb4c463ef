import Platform
import Testing
import TextFiles

/// The table of modules in ARCHITECTURE.md, and what the sources import.
@Suite struct ModuleTests {
  /// Those that no module of the program imports.
  private static let aside: Set = [
    "Benchmarks", "CLuaFloors", "CQueueFloor", "CServerFloor", "CThreadSanitizer",
    "ReactiveTesting",
  ]

  /// The row of each module; a module imports only modules of later rows.
  private func rows() throws -> [String: Int] {
    let table = try TextFile(TextFile.packageFolder + "/ARCHITECTURE.md").lines
      .drop { $0 != "| Module | What it is |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
    var rows: [String: Int] = [:]
    for (row, line) in table.enumerated() {
      for name in line.split(separator: "|")[0].matches(of: /`(\w+)`/) { rows["\(name.1)"] = row }
    }
    return rows
  }

  @Test func aModuleImportsOnlyWhatStandsBelowIt() throws {
    let rows = try rows()
    var count = 0
    for (module, row) in rows {
      for file in swiftFiles(under: "\(TextFile.packageFolder)/Sources/\(module)") {
        for line in try TextFile(file).lines {
          guard let name = line.wholeMatch(of: /(?:@\w+ )?(?:public |package )?import (\w+)/)?.1,
            let imported = rows["\(name)"]
          else { continue }
          count += 1
          #expect(imported > row, "\(file): \(line)")
        }
      }
    }
    #expect(count > 500)
  }

  @Test func eachModuleStandsInTheTable() throws {
    let modules = names(inFolder: "\(TextFile.packageFolder)/Sources") ?? []
    let missing = Set(modules.filter { !$0.hasPrefix(".") }).subtracting(Self.aside)
      .symmetricDifference(try rows().keys)
    #expect(missing == [])
  }
}

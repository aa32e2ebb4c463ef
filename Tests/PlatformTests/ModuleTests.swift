import Platform
import Testing
import TextFiles

/// The table of modules in ARCHITECTURE.md, the dependencies in Package.swift, and what the sources
/// import.
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

  /// The modules that the files of a folder import.
  private func imports(in folder: String) throws -> Set<String> {
    // Made once: the expression costs more than the match.
    let statement = /(?:@\w+ )?(?:public |package )?import (\w+)/
    var imports: Set<String> = []
    for file in swiftFiles(under: "\(TextFile.packageFolder)/\(folder)") {
      for line in try TextFile(file).lines where !line.hasPrefix(" ") {
        if let name = line.wholeMatch(of: statement)?.1 { imports.insert("\(name)") }
      }
    }
    return imports
  }

  @Test func aModuleImportsOnlyWhatStandsBelowIt() throws {
    let rows = try rows()
    for (module, row) in rows {
      for name in try imports(in: "Sources/\(module)") {
        guard let imported = rows[name] else { continue }
        #expect(imported > row, "\(module) imports \(name)")
      }
    }
  }

  /// SwiftPM's `--explicit-target-dependency-import-check` accepts what a dependency depends on.
  @Test func aModuleDeclaresWhatItImports() throws {
    let manifest = try TextFile(TextFile.packageFolder + "/Package.swift").lines
      .joined(separator: " ")
    var declared: [String: Set<String>] = [:]
    for module in manifest.matches(of: /\b(?:module|tests)\(\s*"(\w+)"(?:,\s*"+([\w\s\\]+)"+)?/) {
      let names = module.2?.split { !$0.isLetter && !$0.isNumber }.map(String.init) ?? []
      declared["\(module.1)"] = Set(names)
    }
    #expect(declared.count > 25)
    for (module, names) in declared where !module.hasPrefix("C") || module == "Commands" {
      let folder = module.hasSuffix("Tests") ? "Tests" : "Sources"
      // Headers that are written in C are seen through the modules that import them.
      let imports = try imports(in: "\(folder)/\(module)")
        .intersection(try modules).subtracting([module])
      #expect(
        names.symmetricDifference(imports).subtracting(["CThreadSanitizer"]) == [], "\(module)")
    }
  }

  /// The modules of the package, those of its tests too.
  private var modules: Set<String> {
    get throws {
      Set(
        try ["Sources", "Tests"].flatMap {
          try TextFile.names(inFolder: "\(TextFile.packageFolder)/\($0)")
        })
    }
  }

  /// Imports are one block, and those for tests another one below.
  @Test func anImportStandsBesideTheOthers() throws {
    let statement = #/(@\w+ )?(\w+ )?import /#
    func isImport(_ line: String) -> Bool {
      !line.hasPrefix(" ") && line.prefixMatch(of: statement) != nil
    }
    for file in ["Sources", "Tests"].flatMap({
      swiftFiles(under: "\(TextFile.packageFolder)/\($0)")
    }) {
      let block = try TextFile(file).lines.drop { !isImport($0) }
        .prefix { $0.isEmpty || isImport($0) }
      let imports = block.filter { !$0.isEmpty }
      #expect(Set(imports).count == imports.count, "\(file) imports a module twice")
      let torn = zip(block, block.dropFirst()).contains {
        $0.isEmpty && !$1.hasPrefix("@testable")
      }
      #expect(!torn, "\(file) has an empty line between its imports")
    }
  }

  @Test func eachModuleStandsInTheTable() throws {
    let modules = names(inFolder: "\(TextFile.packageFolder)/Sources") ?? []
    let missing = Set(modules.filter { !$0.hasPrefix(".") }).subtracting(Self.aside)
      .symmetricDifference(try rows().keys)
    #expect(missing == [])
  }
}

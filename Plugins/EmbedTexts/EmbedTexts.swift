import Foundation
import PackagePlugin

/// Writes the files of a module's folder into the program as string literals, which compile in no
/// time. SwiftPM's own `embedInCode` writes array literals, of which 221 KB take 28 s to optimise.
@main struct EmbedTexts: BuildToolPlugin {
  /// The folder of each module; its name is that of the enumeration which `scripts/embed-texts` makes.
  private let folders = ["RunnerPanel": "Page", "RunnerCluster": "SQL"]

  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let name = folders[target.name] else { return [] }
    let root = context.package.directoryURL
    let files = try FileManager.default.contentsOfDirectory(
      at: root.appending(path: "Sources/\(target.name)/\(name)"), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
    let script = root.appending(path: "scripts/embed-texts")
    let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
    return [
      .buildCommand(
        displayName: "Embedding \(target.name)/\(name)", executable: script,
        arguments: [name, output.path] + files.map(\.path), inputFiles: files + [script],
        outputFiles: [output])
    ]
  }
}

import Platform

/// The Swift files in a folder and in those inside it.
func swiftFiles(under folder: String) -> [String] {
  (names(inFolder: folder) ?? []).sorted().flatMap { name -> [String] in
    let path = "\(folder)/\(name)"
    if name.hasSuffix(".swift") { return [path] }
    return name.hasPrefix(".") || name.contains(".") ? [] : swiftFiles(under: path)
  }
}

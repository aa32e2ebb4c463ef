/// The files of the page, which are part of the program.
struct Asset {
  let type: String
  let bytes: [UInt8]

  /// Each file of `Page` by its name.
  static let all: [String: @Sendable () -> Asset] = [
    "index.html": { Asset(type: html, bytes: PackageResources.index_html) }
  ]

  static let html = "text/html; charset=utf-8"
  static let script = "text/javascript; charset=utf-8"
  static let style = "text/css; charset=utf-8"
  static let picture = "image/svg+xml"

  /// Returns the file at a path; `/` is `index.html`.
  static func at(_ path: String) -> Asset? {
    guard path.hasPrefix("/") else { return nil }
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    return all[name]?()
  }
}

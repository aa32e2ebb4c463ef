/// A file of the page, which is part of the program.
struct Asset {
  let type: String
  let text: String

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
  ]

  /// Returns the file at a path; `/` is `index.html`.
  static func at(_ path: String) -> Asset? {
    guard path.hasPrefix("/") else { return nil }
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    guard let text = Page.file(name), let ending = name.split(separator: ".").last else {
      return nil
    }
    return types[String(ending)].map { Asset(type: $0, text: text) }
  }
}

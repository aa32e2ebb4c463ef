/// How far a reader of the event stream has read, as text: what `Last-Event-ID` carries.
///
/// `SERVER.PLACE`, and for each page that reads on the stream `;PAGE`, or `;PAGE:EXECUTION:NEXT` for
/// each execution that it looks at.
struct StreamPlace: Equatable {
  struct Look: Equatable {
    let execution: Int
    let next: Int
  }

  /// The start of the server that has given it.
  let server: String
  /// The place in the ring.
  let place: Int
  var pages: [(name: String, looks: [Look])] = []

  init(server: String, place: Int, pages: [(name: String, looks: [Look])] = []) {
    self.server = server
    self.place = place
    self.pages = pages
  }

  /// Reads a text; nil if it is none that a server has given.
  init?(_ text: String) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let head = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard head.count == 2, Route.isPage(String(head[0])), let place = Int(digits: String(head[1]))
    else { return nil }
    self.init(server: String(head[0]), place: place)
    for part in parts.dropFirst() {
      let fields = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard Route.isPage(fields[0]) else { return nil }
      if pages.last?.name != fields[0] { pages.append((fields[0], [])) }
      if fields.count == 1 { continue }
      guard fields.count == 3, let execution = Int(digits: fields[1]),
        let next = Int(digits: fields[2])
      else { return nil }
      pages[pages.count - 1].looks.append(Look(execution: execution, next: next))
    }
  }

  var text: String {
    var text = "\(server).\(place)"
    for page in pages {
      if page.looks.isEmpty { text += ";\(page.name)" }
      for look in page.looks { text += ";\(page.name):\(look.execution):\(look.next)" }
    }
    return text
  }

  static func == (one: StreamPlace, other: StreamPlace) -> Bool { one.text == other.text }
}

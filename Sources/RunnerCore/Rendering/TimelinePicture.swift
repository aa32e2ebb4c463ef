/// A timeline as an SVG image, legible on light and dark pages.
package struct TimelinePicture {
  /// An execution.
  package struct Bar: TimelineBar {
    /// Its state, by the name of `RecordedState`.
    package let state: String
    /// Seconds since the timeline's start.
    package var waiting: Double
    package let start: Double
    package let end: Double
    /// The times of failed attempts that were followed by others.
    package let retries: [Double]
    /// What is told of it.
    package let title: String

    package init(
      state: String, waiting: Double, start: Double, end: Double, retries: [Double], title: String
    ) {
      self.state = state
      self.waiting = waiting
      self.start = start
      self.end = end
      self.retries = retries
      self.title = title
    }
  }

  /// The executions of a command, in tracks.
  package typealias Group = (name: String, tracks: [[Bar]])

  private let title: String
  private let groups: [Group]
  /// The length in seconds.
  private let length: Double
  private let width: Double

  package init(title: String, _ groups: [Group], length: Double, width: Double = 960) {
    self.title = title
    self.groups = groups
    self.length = length
    self.width = width
  }

  private let left = 140.0
  private let top = 54.0
  private let laneHeight = 18.0
  private let groupGap = 10.0

  package var text: String {
    var body = ""
    var y = top
    for group in groups {
      body += label(group.name, y: y)
      for track in group.tracks {
        for bar in track { body += picture(bar, y: y) }
        y += laneHeight
      }
      y += groupGap
    }
    let height = y + 34
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
      width="\(number(width))" height="\(number(height))" font-family="sans-serif" font-size="11">
      <style>\(Self.style)</style>
      <rect class="page" width="100%" height="100%" rx="6"/>
      <text class="title" x="12" y="22">\(escaped(title))</text>
      \(axis(bottom: y))\(body)\(legend(y: y + 18))</svg>

      """
  }

  private static let style = """
    .page{fill:#fff}.title{font-size:13px;font-weight:bold}text{fill:#24292f}.tick{fill:#6e7781}\
    .grid{stroke:#d8dee4}.waiting{fill:#d0d7de}.completed{fill:#4c9f70}.failed{fill:#cf222e}\
    .running{fill:#54aeff}.cancelled,.interrupted{fill:#d4a72c}.retry{stroke:#953800;stroke-width:2}\
    @media(prefers-color-scheme:dark){.page{fill:#161b22}text{fill:#e6edf3}.tick{fill:#8b949e}\
    .grid{stroke:#30363d}.waiting{fill:#484f58}}
    """

  private func x(_ time: Double) -> Double {
    left + max(0, time) / length * (width - left - 16)
  }

  private func axis(bottom: Double) -> String {
    let step = niceStep(length / 8)
    var text = ""
    var time = 0.0
    while time <= length {
      text += """
        <line class="grid" x1="\(number(x(time)))" x2="\(number(x(time)))" y1="\(number(top - 8))" \
        y2="\(number(bottom))"/><text class="tick" x="\(number(x(time)))" y="\(number(top - 12))" \
        text-anchor="middle">\(shortSeconds(time))</text>

        """
      time += step
    }
    return text
  }

  /// The smallest 1, 2 or 5 times a power of ten that is not less than `least`.
  private func niceStep(_ least: Double) -> Double {
    var power = 0.001
    while power * 10 < least { power *= 10 }
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? least
  }

  private func label(_ name: String, y: Double) -> String {
    "<text x=\"\(number(left - 10))\" y=\"\(number(y + 12))\" text-anchor=\"end\">"
      + "\(escaped(clipped(name, 20)))</text>\n"
  }

  private func picture(_ bar: Bar, y: Double) -> String {
    var text = ""
    if bar.start - bar.waiting > length / 500 {
      text += rectangle("waiting", bar.waiting, bar.start, y: y + 5, height: 6, title: nil)
    }
    text += rectangle(bar.state, bar.start, bar.end, y: y, height: 15, title: bar.title)
    for time in bar.retries {
      text += """
        <line class="retry" x1="\(number(x(time)))" x2="\(number(x(time)))" y1="\(number(y))" \
        y2="\(number(y + 15))"/>

        """
    }
    return text
  }

  private func rectangle(
    _ name: String, _ start: Double, _ end: Double, y: Double, height: Double, title: String?
  ) -> String {
    let width = max(1, x(end) - x(start))
    let inner = title.map { "<title>\(escaped($0))</title>" } ?? ""
    return """
      <rect class="\(name)" x="\(number(x(start)))" y="\(number(y))" width="\(number(width))" \
      height="\(number(height))" rx="2">\(inner)</rect>

      """
  }

  private func legend(y: Double) -> String {
    var text = ""
    var x = left
    for name in ["waiting", "completed", "failed", "cancelled", "running"] {
      text += """
        <rect class="\(name)" x="\(number(x))" y="\(number(y - 9))" width="10" height="10" rx="2"/>\
        <text x="\(number(x + 15))" y="\(number(y))">\(name)</text>

        """
      x += 90
    }
    return text + """
      <line class="retry" x1="\(number(x + 5))" x2="\(number(x + 5))" y1="\(number(y - 9))" \
      y2="\(number(y + 1))"/><text x="\(number(x + 15))" y="\(number(y))">retried</text>

      """
  }

  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }
}

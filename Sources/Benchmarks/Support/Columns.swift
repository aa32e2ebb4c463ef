/// A text in a column: to the left for a negative width.
func pad(_ text: String, _ width: Int) -> String {
  let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
  return width < 0 ? text + spaces : spaces + text
}

/// A number with one or two digits after the point.
func decimal(_ value: Double, _ digits: Int) -> String {
  let scale = digits == 1 ? 10.0 : 100
  let scaled = Int((value * scale).rounded())
  let fraction = String(scaled % Int(scale))
  let zeros = String(repeating: "0", count: digits - fraction.count)
  return "\(scaled / Int(scale)).\(zeros)\(fraction)"
}

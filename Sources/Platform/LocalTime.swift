/// Returns a time in the local time zone, as in `2026-03-01 09:30:00`.
///
/// - Parameter seconds: the seconds since 1970.
public func localTimeText(_ seconds: Double) -> String {
  var time = time_t(seconds)
  var parts = tm()
  localtime_r(&time, &parts)
  return timeText(of: parts, "%Y-%m-%d %H:%M:%S")
}

/// Formats the components of a time as `strftime` does, in at most 63 bytes.
public func timeText(of parts: tm, _ format: String) -> String {
  var parts = parts
  var space = [CChar](repeating: 0, count: 64)
  let count = strftime(&space, space.count, format, &parts)
  return String(decoding: space[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// A time in UTC, in ISO 8601 form without a zone.
///
/// - Parameter seconds: since 1970.
public func timeText(ofUTC seconds: Double) -> String {
  var time = time_t(seconds)
  var parts = tm()
  gmtime_r(&time, &parts)
  return timeText(of: parts, "%Y-%m-%dT%H:%M:%S")
}

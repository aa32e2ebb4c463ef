import CLibUV

/// Opens an empty file in memory, to whose end is written, and which children do not inherit.
///
/// - Returns: its descriptor, which belongs to the caller; nil if the system has no such files.
public func openMemoryFile() -> Int32? {
  let descriptor = clibuv_memory_file()
  return descriptor < 0 ? nil : descriptor
}

import Platform
import Testing

@Suite("the stamp of a file")
struct FileStampTests {
  @Test("tells a change that leaves size and time as they were")
  func keptTime() throws {
    var template = Array("/tmp/raclette-stamp-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
      close(descriptor)
      unlink(path)
    }
    let time = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
    func write(_ byte: UInt8) {
      _ = [byte].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, 1, 0) }
      _ = futimens(descriptor, time)
    }
    write(1)
    let before = try #require(FileStamp(path))
    #expect(FileStamp(path) == before)
    // The clock of a file system has ticks of some milliseconds.
    var rounds = 0
    repeat {
      write(2)
      usleep(1_000)
      rounds += 1
    } while FileStamp(path) == before && rounds < 1_000
    #expect(FileStamp(path) != before)
    var information = stat()
    #expect(fstat(descriptor, &information) == 0)
    #expect(information.st_size == 1 && information.modificationTime.tv_sec == 1_000_000)
  }

  @Test("is none where there is no file")
  func none() { #expect(FileStamp("/nonexistent/file") == nil) }
}

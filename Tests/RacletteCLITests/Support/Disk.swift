import Platform
import Testing

/// A file system for a test, which needs the right to mount one.
enum Disk {
  /// In memory, with room for so many MiB.
  case memory(Int)
  /// In a file, with room for so many MiB; it can lose its power.
  case file(Int)

  /// True if this machine allows it.
  static let isAllowed: Bool = {
    guard getuid() == 0 else { return false }
    let folder = Folder()
    guard Disk.memory(1).mounts(on: folder.path) else { return false }
    Disk.memory(1).unmount(from: folder.path)
    return true
  }()

  /// True if this machine allows one in a file, too.
  static let isAllowedInFile: Bool = {
    guard isAllowed else { return false }
    let folder = Folder()
    let place = folder["disk"]
    mkdir(place, 0o755)
    guard Disk.file(8).mounts(on: place) else { return false }
    Disk.file(8).unmount(from: place)
    return true
  }()

  func mount(on folder: String) {
    precondition(mounts(on: folder), "no file system can be mounted")
  }

  private func mounts(on folder: String) -> Bool {
    switch self {
    case .memory(let size):
      return Self.run("mount -t tmpfs -o size=\(size)m tmpfs '\(folder)'")
    case .file(let size):
      let file = Self.file(of: folder)
      return Self.run("truncate -s \(size)M '\(file)' && mkfs.ext4 -q -F '\(file)'")
        && Self.run("mount -o loop '\(file)' '\(folder)' && rmdir '\(folder)/lost+found'")
    }
  }

  func unmount(from folder: String) {
    _ = Self.run("umount -l '\(folder)'")
    if case .file = self { unlink(Self.file(of: folder)) }
  }

  /// Loses what has not reached the disk, as a power cut does, and is mounted again.
  static func losePower(_ folder: String) -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // EXT4_IOC_SHUTDOWN, without a flush of the log.
    var flag: UInt32 = 2
    return ioctl(descriptor, 0x8004_587D, &flag) == 0
  }

  /// Mounts what has reached the disk before a power cut.
  ///
  /// It is a copy: while another mount namespace still has the file system (a process of another test
  /// that began meanwhile), the kernel would mount the same one again, which has no power.
  static func mountAgain(_ folder: String) -> Bool {
    let file = file(of: folder)
    return run("umount -l '\(folder)' && cp --sparse=always '\(file)' '\(file).kept'")
      && run("mv '\(file).kept' '\(file)' && mount -o loop '\(file)' '\(folder)'")
  }

  private static func file(of folder: String) -> String { folder + ".disk" }

  private static func run(_ line: String) -> Bool {
    spawnAndWait(["/bin/sh", "-c", "exec >/dev/null 2>&1; \(line)"]) == 0
  }
}

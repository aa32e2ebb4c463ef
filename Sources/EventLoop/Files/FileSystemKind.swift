import CLibUV
import Platform

/// File systems on which a socket does not lead to a process of this machine.
public enum FileSystemKind {
  /// Returns true if a socket in a folder cannot be made, or may be seen by other machines.
  public static func isUnfitForSockets(_ folder: String) -> Bool {
    #if os(Linux)
      var request = uv_fs_t()
      let code = folder.withCBytes { uv_fs_statfs(nil, &request, $0, nil) }
      defer { uv_fs_req_cleanup(&request) }
      guard code == 0, let information = request.ptr else { return false }
      let type = information.assumingMemoryBound(to: uv_statfs_t.self).pointee.f_type
      return unfit.contains(UInt32(truncatingIfNeeded: type))
    #else
      return false
    #endif
  }

  /// The numbers of the kernel for file systems that machines share, and for those without sockets.
  private static let unfit: Set<UInt32> = [
    0x6969,  // NFS
    0x517B, 0xFE53_4D42, 0xFF53_4D42,  // SMB
    0x5346_414F,  // AFS
    0x00C3_6400,  // Ceph
    0x0BD0_0BD0,  // Lustre
    0x0102_1997,  // 9P
    0x1983_0326,  // BeeGFS
    0x4750_4653,  // GPFS
    0x786F_4256, 0xBACB_ACBC, 0x7C7C_6673,  // folders of a host: VirtualBox, VMware, Parallels
    0x0116_1970,  // GFS2
    0x7461_636F,  // OCFS2
    0x6573_5546,  // FUSE
    0x4D44, 0x2011_BAB0, 0x7366_746E,  // FAT, exFAT, NTFS
  ]
}

#ifndef RACLETTE_CSQLITE_SHIM_H
#define RACLETTE_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the bytes before it returns.

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Keeps a forged database from executing anything of its own: triggers, views, functions in its schema.
static inline void csqlite_distrust_schema(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
}

#if defined(__linux__)

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/// Whether an open file is the root of a mount: a single file that was mounted at a path of its own.
static inline int csqlite_is_mount_root(int descriptor) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx information = {0};
  if (syscall(SYS_statx, descriptor, "", 0x1000 /* AT_EMPTY_PATH */, STATX_BASIC_STATS, &information) != 0)
    return 0;
  return (information.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  (void)descriptor;
  return 0;
#endif
}

/// Whether a path is on a file system of another machine; not if that is unknown.
static inline int csqlite_is_on_network(const char *path) {
  struct statfs information;
  if (statfs(path, &information) != 0) return 0;
  switch ((unsigned int)information.f_type) {
    case 0x6969:      // NFS
    case 0x517B:      // SMB
    case 0xFF534D42:  // CIFS
    case 0xFE534D42:  // SMB2
    case 0x5346414F:  // AFS
      return 1;
    default:
      return 0;
  }
}

#else

#include <sys/mount.h>
#include <sys/param.h>

/// Whether a path is on a file system of another machine; not if that is unknown.
static inline int csqlite_is_on_network(const char *path) {
  struct statfs information;
  return statfs(path, &information) == 0 && (information.f_flags & MNT_LOCAL) == 0;
}

/// Only Linux mounts single files.
static inline int csqlite_is_mount_root(int descriptor) {
  (void)descriptor;
  return 0;
}

#endif

#endif

#include "CPowerLoss.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// A write that has not been synced. Later writes stand behind earlier ones.
typedef struct Pending {
  struct Pending *next;
  sqlite3_int64 offset;
  int count;
  char bytes[];
} Pending;

// What SQLite allocates for an open file; the real file follows it in memory.
typedef struct {
  sqlite3_file base;
  Pending *first, *last;
  sqlite3_int64 size;  // as SQLite sees it
} File;

static sqlite3_vfs *system_vfs, vfs;
static int syncs, remaining = -1, is_full;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }

static int is_off(void) { return remaining == 0; }

static void drop(File *file) {
  while (file->first) {
    Pending *next = file->first->next;
    free(file->first);
    file->first = next;
  }
  file->last = NULL;
}

static int close_file(sqlite3_file *file) {
  drop((File *)file);
  return real(file)->pMethods->xClose(real(file));
}

static int read_file(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  int code = real(file)->pMethods->xRead(real(file), buffer, count, offset);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
  for (Pending *p = ((File *)file)->first; p; p = p->next) {
    sqlite3_int64 from = p->offset > offset ? p->offset : offset;
    sqlite3_int64 end = p->offset + p->count, wanted = offset + count;
    sqlite3_int64 to = end < wanted ? end : wanted;
    if (from < to)
      memcpy((char *)buffer + (from - offset), p->bytes + (from - p->offset), (size_t)(to - from));
  }
  return offset + count <= ((File *)file)->size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_file(
    sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (is_full) return SQLITE_FULL;
  File *own = (File *)file;
  Pending *p = malloc(sizeof(Pending) + (size_t)count);
  if (!p) return SQLITE_NOMEM;
  *p = (Pending){.offset = offset, .count = count};
  memcpy(p->bytes, bytes, (size_t)count);
  if (own->last) own->last->next = p; else own->first = p;
  own->last = p;
  if (offset + count > own->size) own->size = offset + count;
  return SQLITE_OK;
}

static int flush(sqlite3_file *file) {
  for (Pending *p = ((File *)file)->first; p; p = p->next) {
    int code = real(file)->pMethods->xWrite(real(file), p->bytes, p->count, p->offset);
    if (code != SQLITE_OK) return code;
  }
  drop((File *)file);
  return SQLITE_OK;
}

static int sync_file(sqlite3_file *file, int flags) {
  if (is_off()) return SQLITE_OK;
  if (remaining > 0) remaining--;
  syncs++;
  (void)flags;
  // The real disk need not hear of it: only the machine that is simulated loses its power.
  return flush(file);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  ((File *)file)->size = size;
  if (is_off()) return SQLITE_OK;
  int code = flush(file);
  return code == SQLITE_OK ? real(file)->pMethods->xTruncate(real(file), size) : code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  *size = ((File *)file)->size;
  return SQLITE_OK;
}

static int lock(sqlite3_file *f, int level) { return real(f)->pMethods->xLock(real(f), level); }
static int unlock(sqlite3_file *f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
static int check_lock(sqlite3_file *f, int *result) {
  return real(f)->pMethods->xCheckReservedLock(real(f), result);
}
static int control(sqlite3_file *f, int op, void *argument) {
  return real(f)->pMethods->xFileControl(real(f), op, argument);
}
static int sector_size(sqlite3_file *f) { return real(f)->pMethods->xSectorSize(real(f)); }
static int characteristics(sqlite3_file *f) {
  return real(f)->pMethods->xDeviceCharacteristics(real(f));
}
static int shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **result) {
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, result);
}
static int shm_lock(sqlite3_file *f, int offset, int count, int flags) {
  return real(f)->pMethods->xShmLock(real(f), offset, count, flags);
}
static void shm_barrier(sqlite3_file *f) { real(f)->pMethods->xShmBarrier(real(f)); }
static int shm_unmap(sqlite3_file *f, int remove) {
  return real(f)->pMethods->xShmUnmap(real(f), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int open_file(
    sqlite3_vfs *own, const char *name, sqlite3_file *file, int flags, int *opened) {
  (void)own;
  memset(file, 0, sizeof(File));
  int code = system_vfs->xOpen(system_vfs, name, real(file), flags, opened);
  if (code != SQLITE_OK) return code;
  file->pMethods = &methods;
  return real(file)->pMethods->xFileSize(real(file), &((File *)file)->size);
}

// A removal reaches the disk with the next sync of the folder at the latest; a machine that is off
// removes nothing.
static int delete_file(sqlite3_vfs *own, const char *name, int sync_folder) {
  (void)own;
  return is_off() ? SQLITE_OK : system_vfs->xDelete(system_vfs, name, sync_folder);
}

int power_loss_register(void) {
  if (system_vfs) return SQLITE_OK;
  system_vfs = sqlite3_vfs_find(NULL);
  vfs = *system_vfs;
  vfs.zName = "power-loss";
  vfs.szOsFile = (int)sizeof(File) + system_vfs->szOsFile;
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  return sqlite3_vfs_register(&vfs, 0);
}

int power_loss_syncs(void) { return syncs; }
void power_loss_fail_after(int count) { remaining = count; }
void power_loss_fill_disk(int full) { is_full = full; }

#define _GNU_SOURCE  // fopencookie

#include "CSignals.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

// The error of the first write to standard output that failed.
static atomic_int failure;

int csignals_output_failure(void) { return atomic_load(&failure); }

// True once something was written to standard output.
static atomic_bool has_written;

bool csignals_has_written_output(void) { return atomic_load(&has_written); }

// True if writing may continue after an error; waits until it can.
static bool recovers(int code, int descriptor) {
  if (code == EINTR) return true;
  if (code != EAGAIN) return false;
  // Another process that shares the terminal or the pipe made it non-blocking.
  struct pollfd state = {descriptor, POLLOUT, 0};
  poll(&state, 1, -1);
  return true;
}

size_t csignals_write(int descriptor, const void *bytes, size_t length) {
  size_t written = 0;
  while (written < length) {
    // The reader may only be slow.
    if (csignals_end() != 0) csignals_abandon_if_stuck(descriptor, 100);
    const ssize_t count = write(descriptor, (const char *)bytes + written, length - written);
    if (count >= 0) {
      written += (size_t)count;
    } else if (!recovers(errno, descriptor)) {
      break;
    }
  }
  return written;
}

static int descriptor_of(void *cookie) { return (int)(intptr_t)cookie; }

static size_t put(void *cookie, const char *bytes, size_t length) {
  const size_t written = csignals_write(descriptor_of(cookie), bytes, length);
  if (length > 0 && descriptor_of(cookie) == STDOUT_FILENO) atomic_store(&has_written, true);
  int none = 0;
  if (written < length && descriptor_of(cookie) == STDOUT_FILENO) {
    atomic_compare_exchange_strong(&failure, &none, errno);
  }
  return written;
}

#ifdef __APPLE__
static int write_stream(void *cookie, const char *bytes, int length) {
  const size_t written = put(cookie, bytes, (size_t)length);
  return written == (size_t)length ? length : -1;
}

static int close_stream(void *cookie) { return close(descriptor_of(cookie)); }

static FILE *open_stream(int descriptor) {
  FILE *file = funopen((void *)(intptr_t)descriptor, NULL, write_stream, NULL, close_stream);
  if (file) file->_file = (short)descriptor;
  return file;
}
#else
static ssize_t write_stream(void *cookie, const char *bytes, size_t length) {
  return (ssize_t)put(cookie, bytes, length);
}

static int close_stream(void *cookie) { return close(descriptor_of(cookie)); }

static FILE *open_stream(int descriptor) {
  FILE *file = fopencookie(
    (void *)(intptr_t)descriptor, "w",
    (cookie_io_functions_t){.write = write_stream, .close = close_stream});
  // Libraries of scripts ask whether it is a terminal.
  if (file) file->_fileno = descriptor;
  return file;
}
#endif

FILE *csignals_open_stream(int descriptor) {
  FILE *file = open_stream(descriptor);
  if (file) setvbuf(file, NULL, isatty(descriptor) ? _IOLBF : _IOFBF, BUFSIZ);
  return file;
}

void csignals_replace_output(void) {
  FILE *file = csignals_open_stream(STDOUT_FILENO);
  if (file) stdout = file;
}

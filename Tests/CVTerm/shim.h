#ifndef RACLETTE_CVTERM_SHIM_H
#define RACLETTE_CVTERM_SHIM_H

#include <fcntl.h>
#include <stdlib.h>
#include <vterm.h>

#if defined(__linux__)
// Extensions of the C library that Swift's module of it is imported without.
extern int posix_openpt(int flags);
extern int grantpt(int terminal);
extern int unlockpt(int terminal);
extern int ptsname_r(int terminal, char *name, size_t size);
#endif

/// Opens a terminal that no child inherits, whoever starts one at this moment, and tells the path by
/// which a program opens it. Returns its descriptor, or -1.
static inline int cvterm_open_terminal(char *name, size_t size) {
#if defined(__linux__)
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
#else
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  fcntl(terminal, F_SETFD, FD_CLOEXEC);
#endif
  if (grantpt(terminal) || unlockpt(terminal) || ptsname_r(terminal, name, size)) return -1;
  return terminal;
}

#endif

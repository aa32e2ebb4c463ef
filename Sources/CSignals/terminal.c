#include "CSignals.h"
#include "effects.h"

#include <stdatomic.h>
#include <unistd.h>

static struct termios kept;
static volatile sig_atomic_t is_kept;
static volatile sig_atomic_t edited_at = -1;
static volatile sig_atomic_t screen_at = -1;

void csignals_keep_terminal(const struct termios *mode) {
  is_kept = 0;
  if (!mode) return;
  kept = *mode;
  atomic_signal_fence(memory_order_release);
  is_kept = 1;
}

bool csignals_kept_terminal(struct termios *mode) {
  if (is_kept) *mode = kept;
  return is_kept;
}

void csignals_edit_at(int terminal) { edited_at = terminal; }

void csignals_screen_at(int terminal) { screen_at = terminal; }

bool csignals_owns_terminal(void) { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

void csignals_restore_terminal(void) {
  static const char end_of_paste_mode[] = CSIGNALS_END_OF_PASTE;
  if (edited_at >= 0) {
    const ssize_t written = write(edited_at, end_of_paste_mode, sizeof end_of_paste_mode - 1);
    (void)written;
  }
  static const char end_of_screen[] = CSIGNALS_END_OF_SCREEN;
  if (screen_at >= 0) {
    const ssize_t written = write(screen_at, end_of_screen, sizeof end_of_screen - 1);
    (void)written;
    screen_at = -1;
  }
  if (is_kept && csignals_owns_terminal()) tcsetattr(STDIN_FILENO, TCSADRAIN, &kept);
}

void csignals_discard_typed(void) {
  if (is_kept && csignals_owns_terminal()) tcflush(STDIN_FILENO, TCIFLUSH);
}

static void on_crash(int signal) {
  csignals_restore_terminal();
  csignals_handle(signal, SIG_DFL);
  // Takes effect when this handler returns.
  raise(signal);
}

void csignals_watch_crashes(void) {
  const int crashes[] = {SIGABRT, SIGBUS, SIGILL, SIGSEGV, SIGTRAP};
  for (unsigned i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    struct sigaction current;
    // A debugger's, a sanitizer's or Swift's own handler stays.
    if (sigaction(crashes[i], NULL, &current) == 0 && !(current.sa_flags & SA_SIGINFO) &&
        current.sa_handler == SIG_DFL)
      csignals_handle(crashes[i], on_crash);
  }
}

#include "CSignals.h"
#include "effects.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool csignals_turn;

// True if the program itself carries out the next forced end.
static atomic_bool is_left_to_program;

// The first signal that has requested the end, and its time in milliseconds.
static atomic_int first;
static atomic_llong first_time;

static atomic_bool has_keyboard;
// The time of the first press that nothing has answered, and whether it was said why.
static atomic_llong keyboard_time;
static atomic_bool is_explained;

static atomic_int value_output = STDOUT_FILENO;
static atomic_bool is_broken;

static long long now(void) {
  struct timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  return (long long)clock.tv_sec * 1000 + clock.tv_nsec / 1000000;
}

void csignals_handle(int signal, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, NULL);
}

// --- Requests to end ---------------------------------------------------------------------------

void csignals_reset_end(void) { atomic_store(&first, 0); }

int csignals_end(void) { return atomic_load_explicit(&first, memory_order_relaxed); }

void csignals_leave_force(bool to_program) { atomic_store(&is_left_to_program, to_program); }

void csignals_force_end(void) {
  csignals_kill_child_groups();
  csignals_restore_terminal();
  _exit(128 + csignals_end());
}

// How long after the first signal, in milliseconds, another one belongs to the same request. One request
// may arrive twice: from the terminal and from a program such as npm, which passes on what the terminal has
// sent to both. A person's second Ctrl-C comes later. timeout(1) signals its child and then its own group,
// which its child is in; how far apart depends on the machine's load. Whoever signals timeout(1) again
// after that means it.
enum { repetition = 200, repetition_by_timeout = 3000 };

bool csignals_is_repetition(int signal, int first, long long milliseconds) {
  // The shell and the kernel send it when a terminal closes, and nobody is left to press a key.
  if (signal == SIGHUP && first == SIGHUP) return true;
  return milliseconds < repetition;
}

bool csignals_is_repeated_by_timeout(long long milliseconds) {
  return milliseconds < repetition_by_timeout && csignals_parent_is("timeout");
}

bool csignals_end_arrived(int signal, pid_t sender) {
  const int earlier = atomic_load(&first);
  if (earlier == 0) {
    // A write that waits for a reader must not prevent the run from ending.
    csignals_abandon_if_stuck(csignals_value_output(), 0);
    csignals_abandon_if_stuck(STDOUT_FILENO, 0);
    csignals_abandon_if_stuck(STDERR_FILENO, 0);
    csignals_request_turn();
    atomic_store(&first_time, now());
    atomic_store(&first, signal);
    return true;
  }
  const long long age = now() - atomic_load(&first_time);
  if (csignals_is_repetition(signal, earlier, age)) return false;
  if (sender == getppid() && csignals_is_repeated_by_timeout(age)) return false;
  // Only once: the third signal needs no program that answers.
  if (!atomic_exchange(&is_left_to_program, false)) csignals_force_end();
  return true;
}

void csignals_give_up(void) {
  csignals_kill_child_groups();
  csignals_restore_terminal();
  const int signal = csignals_end();
  const char *text = signal == 0 ? "raclette: error: the time limit is reached inside one call of C\n"
                                 : "raclette: error: one call of C did not end after the signal\n";
  const ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
  _exit(signal == 0 ? 1 : 128 + signal);
}

// --- The keyboard ------------------------------------------------------------------------------

void csignals_keyboard_arrived(void) {
  csignals_request_turn();
  if (!atomic_exchange(&has_keyboard, true)) {
    atomic_store(&keyboard_time, now());
    atomic_store(&is_explained, false);
    return;
  }
  // Code of Lua and waits stop at once, so a call of C keeps the first press from being answered.
  if (now() - atomic_load(&keyboard_time) < 200 || atomic_exchange(&is_explained, true)) return;
  static const char text[] =
    "\nraclette: what runs does not answer Ctrl-C; Ctrl-\\ ends the session\n";
  const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
}

bool csignals_keyboard(void) {
  return atomic_load_explicit(&has_keyboard, memory_order_relaxed);
}

bool csignals_take_keyboard(void) {
  csignals_withdraw_turn();
  return atomic_exchange(&has_keyboard, false);
}

// --- Output that nobody reads ------------------------------------------------------------------

int csignals_value_output(void) { return atomic_load(&value_output); }

void csignals_set_value_output(int descriptor) { atomic_store(&value_output, descriptor); }

bool csignals_is_pipe_broken(void) {
  return atomic_load_explicit(&is_broken, memory_order_relaxed);
}

static void on_pipe(int signal) {
  const int saved_errno = errno;
  struct pollfd output = {csignals_value_output(), POLLOUT, 0};
  if (poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP))) {
    csignals_handle(signal, SIG_IGN);
    atomic_store(&is_broken, true);
    if (csignals_end() == 0) raise(SIGTERM);
  }
  errno = saved_errno;
}

void csignals_watch_pipe(void) {
  atomic_store(&is_broken, false);
  csignals_handle(SIGPIPE, on_pipe);
}

void csignals_abandon_if_stuck(int descriptor, int milliseconds) {
  struct pollfd state = {descriptor, POLLOUT, 0};
  int count;
  do count = poll(&state, 1, milliseconds);
  while (count < 0 && errno == EINTR);
  if (count != 0) return;
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, descriptor);
  close(nowhere);
}

// --- Ends without clean-up ---------------------------------------------------------------------

static void on_quit(int signal) {
  csignals_kill_child_groups();
  csignals_discard_typed();
  csignals_restore_terminal();
  csignals_handle(signal, SIG_DFL);
  raise(signal);
}

void csignals_watch_quit(void) { csignals_handle(SIGQUIT, on_quit); }

static volatile sig_atomic_t status_in_time;

static void on_alarm(int signal) {
  (void)signal;
  _exit(status_in_time);
}

void csignals_exit_after(unsigned seconds, int status) {
  status_in_time = status;
  csignals_handle(SIGALRM, on_alarm);
  alarm(seconds);
}

#ifndef CSIGNALS_EFFECTS_H
#define CSIGNALS_EFFECTS_H

// What the handler calls.

void csignals_end_arrived(int signal);
void csignals_keyboard_arrived(void);

// Installs a handler without effects of its own.
void csignals_handle(int signal, void (*handler)(int));

#endif

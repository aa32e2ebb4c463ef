// What the thread sanitizer does not see of itself, in programs that are built with it: the contended
// path of the standard library's `Mutex`, and the errors of Lua. Declares nothing: it is enough to
// link it.

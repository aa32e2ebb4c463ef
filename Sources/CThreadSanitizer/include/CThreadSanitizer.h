// Makes the contended path of the standard library's `Mutex` visible to the thread sanitizer, in
// programs that are built with it. Declares nothing: it is enough to link it.

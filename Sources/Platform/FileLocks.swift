/// Gives back the lock of a file, if there is one, and closes the file. Closing alone is not enough: until
/// its program begins, a child that is being started has the descriptor, too, and with it the lock.
public func unlockAndClose(_ descriptor: Int32) {
  flock(descriptor, LOCK_UN)
  close(descriptor)
}

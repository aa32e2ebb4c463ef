/// True if a process is stopped at the moment, as by Ctrl-Z.
public func isStopped(_ process: Int32) -> Bool {
  statusFields(of: "\(process)")?["State"]?.hasPrefix("T") ?? false
}

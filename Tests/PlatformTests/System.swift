import Platform

func getpidText() -> String { String(getpid()) }

/// `rmdir(2)`.
@discardableResult
func rmdir(_ path: String) -> Int32 { path.withCBytes { rmdir($0) } }

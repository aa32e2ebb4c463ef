import Platform

/// The folder that the user called the program from. The first access reads it; the program makes
/// that access before it changes its folder.
public enum InvocationFolder {
  /// The absolute path; nil if the folder is gone.
  public static let path = currentFolder()
}

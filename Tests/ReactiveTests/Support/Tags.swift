import Testing

extension Tag {
  /// Shows that a known defect of ReactiveCocoa is not one here.
  @Tag static var racDefect: Tag
}

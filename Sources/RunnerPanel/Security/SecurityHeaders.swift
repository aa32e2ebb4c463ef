/// The headers of all responses.
enum SecurityHeaders {
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "worker-src 'self'", "style-src 'self'",
    "img-src 'self' blob:", "connect-src 'self'", "manifest-src 'self'", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    "trusted-types raclette",
  ].joined(separator: "; ")

  /// Those that keep other pages away from a response, and a response from being taken for another
  /// type.
  static let all: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]
}

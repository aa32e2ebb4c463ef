/// Calls `body` with an object that something else keeps meanwhile, without counting a reference: a
/// stored property is otherwise retained around each call that the compiler does not see through.
@inlinable
@inline(__always)
package func withoutRetaining<Object: AnyObject, Result>(
  _ object: Object, _ body: (Object) -> Result
) -> Result {
  Unmanaged.passUnretained(object)._withUnsafeGuaranteedRef(body)
}

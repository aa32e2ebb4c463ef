/// The only value of a record, in the core itself.
///
/// It is no stored optional: what destroys a generic object is not specialised, and would look up the
/// type `Value?` for each core, which costs more than all the rest of the destruction. So the core has
/// room for a value, and who puts one there, in specialised code, adds how to destroy it. A value that
/// is too large for the room is in memory of its own.
extension SubjectCore {
  @usableFromInline typealias Room = (UInt, UInt, UInt)

  @inlinable static var fitsInRoom: Bool {
    MemoryLayout<Value>.size <= MemoryLayout<Room>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<Room>.alignment
  }

  /// The room stays where it is, because it is stored in an object.
  @inlinable
  @inline(__always)
  var roomAddress: UnsafeMutableRawPointer {
    withUnsafeMutablePointer(to: &room) { UnsafeMutableRawPointer($0) }
  }

  /// Where the value is that is or was put into a room.
  @inlinable
  @inline(__always)
  static func place(in room: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
    fitsInRoom
      ? room.assumingMemoryBound(to: Value.self) : room.load(as: UnsafeMutablePointer<Value>.self)
  }

  @inlinable var hasSingle: Bool { destroySingle != nil }

  /// The only value of the record, which is all that most records ever have; guarded as `recording`
  /// is.
  @inlinable
  var single: Value? {
    get { hasSingle ? Self.place(in: roomAddress).pointee : nil }
    set {
      removeSingle()
      if let newValue { keepSingle(newValue) }
    }
  }

  /// Puts the first value into the room.
  @inlinable
  func keepSingle(_ value: Value) {
    if !Self.fitsInRoom {
      room.0 = UInt(bitPattern: UnsafeMutablePointer<Value>.allocate(capacity: 1))
    }
    Self.place(in: roomAddress).initialize(to: value)
    destroySingle = { room in
      let place = Self.place(in: room)
      place.deinitialize(count: 1)
      if !Self.fitsInRoom { place.deallocate() }
    }
  }

  @inlinable
  func removeSingle() {
    guard let destroySingle else { return }
    self.destroySingle = nil
    destroySingle(roomAddress)
  }
}

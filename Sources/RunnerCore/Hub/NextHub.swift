import EventLoop

/// The streams of this process that go on with the next hub. On the loop's thread.
package final class NextHub: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let place: HubPlace
  private let loop: EventLoop
  private var streams: [ObjectIdentifier: HubStream] = [:]
  /// Notices the hub, while there are any.
  private var arrival: HubArrival?

  package init(_ place: HubPlace, on loop: EventLoop) { (self.place, self.loop) = (place, loop) }

  /// Lets a stream go on once a hub runs.
  package func keep(_ stream: HubStream) {
    let isFirst = arrival == nil
    keepForAnother(stream)
    // A successor may have come before this process has read the end of the hub that it used.
    guard isFirst, place.hasServer else { return }
    loop.enqueue { [weak self] in self?.wake() }
  }

  /// Lets a stream go on with another hub than the one that serves now.
  package func keepForAnother(_ stream: HubStream) {
    streams[ObjectIdentifier(stream)] = stream
    guard arrival == nil else { return }
    arrival = HubArrival(place, on: loop) { [weak self] in self?.wake() }
  }

  /// Forgets streams that were ended while no hub ran.
  package func dropEnded() {
    streams = streams.filter { !$0.value.isOver }
    guard streams.isEmpty else { return }
    arrival?.cancel()
    arrival = nil
  }

  /// Lets the streams ask the hub, as one runs now.
  package func wake() {
    guard !streams.isEmpty else { return }
    let waiting = streams.values
    streams = [:]
    arrival?.cancel()
    arrival = nil
    for stream in waiting { stream.send() }
  }
}

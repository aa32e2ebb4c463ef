import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite("assign")
struct AssignTests {
  private final class Label: Sendable {
    private let stored = Mutex<(text: String, hint: String?)>(("", nil))

    var text: String {
      get { stored.withLock { $0.text } }
      set { stored.withLock { $0.text = newValue } }
    }
    var hint: String? {
      get { stored.withLock { $0.hint } }
      set { stored.withLock { $0.hint = newValue } }
    }
  }

  @Test("Sets a property, optional or not, to each value")
  func values() {
    let (label, texts) = (Label(), Subject<String>())
    texts.assign(to: \.text, on: label)
    texts.assign(to: \.hint, on: label)
    texts.sendNext("a")
    #expect(label.text == "a" && label.hint == "a")
    texts.sendNext("b")
    #expect(label.text == "b" && label.hint == "b")
  }

  @Test("An end and disposal leave the last value")
  func ends() {
    let (label, texts) = (Label(), Subject<String>())
    let failing = Label()
    let subscription = texts.assign(to: \.text, on: label)
    let other = texts.assign(to: \.text, on: failing)
    texts.sendNext("a")
    subscription.dispose()
    texts.sendNext("b")
    texts.sendError(MarbleError.failure)
    #expect(label.text == "a")
    #expect(failing.text == "b")
    #expect(other.isDisposed)
  }

  @Test("The object is not kept, and the first value after it disposes the source")
  func gate() {
    let (texts, disposed) = (Subject<String>(), Counter())
    let source = texts.onDispose { disposed.increment() }
    var label: Label? = Label()
    weak let object = label
    source.assign(to: \.text, on: label!)
    texts.sendNext("a")
    label = nil
    #expect(object == nil)
    #expect(disposed.value == 0)
    texts.sendNext("b")
    #expect(disposed.value == 1)
  }
}

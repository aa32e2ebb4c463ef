import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct CommandControlTests {
  let shop = Workshop()

  /// A command of buttons, whose work is done by hand and numbered by the call.
  private func buttonCommand(
    _ journal: Journal, work: Subject<String>, enabled: Signal<Bool>? = nil
  ) -> Command<Button, String> {
    Command(name: "save", enabled: enabled, scheduler: shop.scheduler) { button in
      journal.note("sender \(button.isEnabled)")
      return Signal(work)
    }
  }

  @Test func aControlIsEnabledAsItsCommandIs() {
    let work = Subject<String>()
    let button = Button()
    button.command = buttonCommand(
      shop.journal, work: work, enabled: BehaviorSubject(false))
    #expect(!button.isEnabled)
    button.command = buttonCommand(shop.journal, work: work)
    #expect(button.isEnabled)
    button.click()
    shop.advance()
    #expect(!button.isEnabled)
    work.sendCompleted()
    shop.advance()
    #expect(button.isEnabled)
  }

  @Test func theSenderIsTheInput() {
    let bar = BarButton(tag: 7)
    let command = shop.command()
    bar.command = command
    bar.action?.perform()
    #expect(shop.calls == [7])
    #expect(bar.command === command)
  }

  @Test func anActionOfSomebodyElseIsDisplacedWithAWarning() {
    let button = Button()
    button.action = ControlAction { self.shop.journal.note("displaced") }
    button.command = buttonCommand(shop.journal, work: Subject())
    #expect(button.journal.lines == ["the command 'save' replaces an action that Button had"])
    button.click()
    #expect(shop.journal.lines == ["sender true"])
  }

  @Test func anActionOfAnEarlierCommandIsReplacedSilently() {
    let button = Button()
    for _ in 0..<3 { button.command = buttonCommand(shop.journal, work: Subject()) }
    #expect(button.journal.lines.isEmpty)
  }

  @Test func rebindingWhileExecutingFollowsTheNewCommandOnly() {
    let works = [Subject<String>(), Subject<String>()]
    let button = Button()
    let first = buttonCommand(shop.journal, work: works[0])
    button.command = first
    button.click()
    shop.advance()
    #expect(!button.isEnabled)
    let second = buttonCommand(shop.journal, work: works[1])
    button.command = second
    #expect(button.isEnabled)
    button.click()
    shop.advance()
    #expect(!button.isEnabled)
    works[0].sendCompleted()
    shop.advance()
    #expect(!button.isEnabled)
    #expect(Recorder(first.executing).values == [false])
    works[1].sendCompleted()
    shop.advance()
    #expect(button.isEnabled)
  }

  @Test func aCommandSetInsideTheWarningIsTheOneThatStays() {
    let disabled = BehaviorSubject(false)
    let inner = buttonCommand(shop.journal, work: Subject())
    let outer = buttonCommand(shop.journal, work: Subject(), enabled: disabled)
    let button = Button()
    button.action = ControlAction {}
    button.whenWarned.set { [weak button] in button?.command = inner }
    button.command = outer
    #expect(button.command === inner)
    #expect(button.isEnabled)
    disabled.sendNext(true)
    disabled.sendNext(false)
    shop.advance()
    #expect(button.isEnabled)
    button.click()
    shop.advance()
    #expect(Recorder(inner.executing).values == [true])
    #expect(Recorder(outer.executing).values == [false])
  }

  @Test func nilUnbindsAndLeavesTheControlEnabled() {
    let condition = BehaviorSubject(false)
    let button = Button()
    button.command = buttonCommand(shop.journal, work: Subject(), enabled: condition)
    button.command = nil
    #expect(button.isEnabled)
    #expect(button.action == nil)
    #expect(button.command == nil)
    condition.sendNext(true)
    condition.sendNext(false)
    shop.advance()
    #expect(button.isEnabled)
  }

  @Test func nilLeavesAnActionThatWasSetMeanwhile() {
    let button = Button()
    button.command = buttonCommand(shop.journal, work: Subject())
    let other = ControlAction {}
    button.action = other
    button.command = nil
    #expect(button.action === other)
  }

  @Test func aControlKeepsItsCommandButIsNotKeptByIt() {
    var button: Button? = Button()
    weak let releasedButton = button
    var command: Command<Button, String>? = buttonCommand(shop.journal, work: Subject())
    weak let releasedCommand = command
    button?.command = command
    command = nil
    #expect(releasedCommand != nil)
    button = nil
    #expect(releasedButton == nil)
    #expect(releasedCommand == nil)
  }
}

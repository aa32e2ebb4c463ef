import Reactive
import ReactiveTesting
import Testing

@Suite("The value of a behavior subject")
struct BehaviorSubjectTests {
  @Test("It is the latest, and stays after the end")
  func latest() {
    let subject = BehaviorSubject(1)
    #expect(subject.value == 1)
    for number in 2...5 {
      subject.sendNext(number)
      #expect(subject.value == number)
    }
    subject.sendCompleted()
    subject.sendNext(9)
    #expect(subject.value == 5)
  }

  @Test("An optional value may be nil")
  func none() {
    let subject = BehaviorSubject<Int?>(nil)
    #expect(subject.value == nil)
    subject.sendNext(1)
    #expect(subject.value == 1)
    subject.sendNext(nil)
    #expect(subject.value == nil)
  }

  @Test("A subscriber that receives a value finds it, and one that it sends waits for its turn")
  func reentrant() {
    let (subject, log) = (BehaviorSubject(0), Log())
    subject.subscribe { value in
      log.add("\(value): \(subject.value)")
      if value == 1 {
        subject.sendNext(2)
        log.add("still \(subject.value)")
      }
    }
    subject.sendNext(1)
    #expect(log.lines == ["0: 0", "1: 1", "still 1", "2: 2"])
    #expect(subject.value == 2)
  }

  @Test("Any thread may ask while others send", .timeLimit(.minutes(5)))
  func threads() async {
    let subject = BehaviorSubject(0)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for number in 1...20_000 { subject.sendNext(number) } }
      group.addTask {
        var last = 0
        for _ in 1...20_000 {
          let value = subject.value
          #expect(value >= last)
          last = value
        }
      }
    }
    #expect(subject.value == 20_000)
  }
}

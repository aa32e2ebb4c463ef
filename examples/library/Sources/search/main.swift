import Commands
import Reactive

// A search field: each text that is typed starts a search, and the latest one wins.

let pages = ["A house to live in", "A house by the sea", "Boats"]
// A queue of its own; a program with a user interface takes Scheduler.main.
let scheduler = Scheduler.background(named: "search")

let search = Command<String, String>(name: "search", scheduler: scheduler, whenBusy: .restart) {
  text in
  Signal.from(pages.filter { $0.lowercased().contains(text) })
    .delay(.milliseconds(300), on: scheduler)
}
let errors = search.errors.subscribe(next: { print("failed: \($0)") })

let executions = ["h", "ho", "house"].map { search.execute($0) }
for try await page in executions[2].values { print(page) }
for execution in executions { print("\(execution.input): \(execution.state)") }
errors.dispose()

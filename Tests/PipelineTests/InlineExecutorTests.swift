// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import Synchronization
import Testing

@Suite("An inline executor runs a task where it can go on")
struct InlineExecutorTests {
    private final class Steps: Sendable {
        let taken = Atomic(0)
        var count: Int { taken.load(ordering: .sequentiallyConsistent) }
        func take() { taken.add(1, ordering: .sequentiallyConsistent) }
    }

    @Test func `a task runs to its wait before it is there, and to its end before the wait's end returns`()
        async
    {
        let (shot, steps) = (OneShot<Int>(), Steps())
        let task = Task(executorPreference: InlineExecutor.shared) {
            steps.take()
            let value = await shot.value()
            steps.take()
            return value
        }
        #expect(steps.count == 1)
        shot.settle(7)
        #expect(steps.count == 2)
        #expect(await task.value == 7)
    }

    @Test func `whom it wakes goes on elsewhere`() async {
        let (shot, answer) = (OneShot<Int>(), OneShot<Int>())
        Task(executorPreference: InlineExecutor.shared) { answer.settle(await shot.value() + 1) }
        Task { shot.settle(1) }
        #expect(await answer.value() == 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Pipeline

/// Runs a blocking call on a thread of its own, because the threads of Swift's tasks must not block.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}

/// As `onOwnThread`, but waits for at most `limit`: a call to a disk that hangs does not return and cannot be cancelled.
func onOwnThread(atMost limit: Duration, _ work: @escaping @Sendable () -> Void) async {
    await awaitEnd(atMost: limit) { end in
        Thread.detachNewThread {
            work()
            end()
        }
    }
}

/// Waits for the end of a task, for at most `limit`.
func awaitEnd(of task: Task<Void, Never>, atMost limit: Duration) async {
    await awaitEnd(atMost: limit) { end in
        Task {
            await task.value
            end()
        }
    }
}

/// - Parameter start: begins the work, which must call its argument when it ends.
private func awaitEnd(
    atMost limit: Duration, of start: (@escaping @Sendable () -> Void) -> Void
) async {
    let end = OneShot<Void>()
    start { end.settle(()) }
    let timer = Task {
        try? await Task.sleep(for: limit)
        end.settle(())
    }
    await end.value()
    timer.cancel()
}

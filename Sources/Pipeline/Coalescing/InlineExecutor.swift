// SPDX-License-Identifier: Apache-2.0

/// Runs each step of a task at once, on the thread that makes it possible: that of the caller up to the first wait, and from
/// then on that which brings what was waited for.
///
/// For a task that does next to nothing between its waits. A step on the common pool wakes one of its threads, which costs
/// several times as much.
///
/// **Isolation:** holds nothing.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

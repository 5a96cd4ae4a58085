// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// Two threads for tests that wait for another process: on the threads that all tasks share, they would keep those
/// tests waiting whose work is done in tasks of this process. Two, because each such test starts a daemon with
/// processes of its own.
///
/// **Isolation:** a `Mutex`.
package final class BlockingThreads: TaskExecutor {
    package static let shared = BlockingThreads(count: 2)

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                while true {
                    arrived.wait()
                    let job = jobs.withLock { $0.removeFirst() }
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }
}

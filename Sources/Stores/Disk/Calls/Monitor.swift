// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A monitor (Hoare 1974): state behind a lock, with a condition to wait for. Waiting blocks the thread, so Swift's tasks must
/// not wait.
///
/// **Isolation:** the lock guards everything. `@unchecked Sendable` because the compiler cannot see that.
final class Monitor<State: Sendable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    init(_ state: State) {
        self.state = state
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` under the lock, without waking waiting threads.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&state)
    }

    func wakeOne() { pthread_cond_signal(condition) }

    func wakeAll() { pthread_cond_broadcast(condition) }

    /// Waits until `body` returns a value, calling it at each wake-up; nil once the time is over.
    func wait<Result>(milliseconds: Int, until body: (inout State) -> Result?) -> Result? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + milliseconds % 1_000 * 1_000_000
        deadline.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&state) { return result }
            if pthread_cond_timedwait(condition, lock, &deadline) == ETIMEDOUT { return body(&state) }
        }
    }

    func wait<Result>(until body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, lock)
        }
    }
}

/// A flag that is set once, and that threads wait for.
extension Monitor<Bool> {
    func set() {
        withLock { $0 = true }
        wakeAll()
    }

    /// Waits until it is set; false once the time is over.
    func isSet(within milliseconds: Int) -> Bool {
        wait(milliseconds: milliseconds) { $0 ? true : nil } ?? false
    }
}

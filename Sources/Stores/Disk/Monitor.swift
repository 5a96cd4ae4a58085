// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// State behind a lock, with a way to wait until it has changed. For threads of our own only: waiting blocks.
///
/// **Isolation:** everything goes through the lock. `@unchecked Sendable` because the compiler cannot see that.
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

    /// Does not wake anybody.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&state)
    }

    func wakeOne() { pthread_cond_signal(condition) }

    func wakeAll() { pthread_cond_broadcast(condition) }

    /// Waits until `body` has a result, trying again at each wake-up. Nil: the time is over.
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

/// A thread with a name (at most 15 bytes) that runs one function. To be joined exactly once.
struct WorkerThread: Sendable {
    private let handle: pthread_t

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var handle = pthread_t()
        let box = Unmanaged.passRetained(Box(body))
        let code = pthread_create(
            &handle, nil,
            { argument in
                // The argument is the box passed below, never nil.
                if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        precondition(code == 0, "pthread_create: no thread could be made at start")
        pictor_name_thread(handle, name)
        self.handle = handle
    }

    func join() { pthread_join(handle, nil) }
}

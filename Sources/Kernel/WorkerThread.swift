// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A POSIX thread for blocking work, which Swift's cooperative pool must not do. The thread blocks all signals, because the main
/// thread takes them. So SIGPIPE from sendfile(2) or OpenSSL, which have no flag against it, stays pending.
package struct WorkerThread: Sendable {
    /// The thread's priority when the cores are busy. Decoder processes have a lower priority than both.
    package enum Priority: Sendable {
        /// Work that never waits for others: answers that are ready to be sent.
        case first
        /// Work whose client waits anyway: transfers, files, the pipeline's tasks. libdispatch gives
        /// `TaskPriority.background` the same niceness.
        case later

        fileprivate var niceness: Int32 { self == .first ? 0 : 10 }
    }

    private final class Work: Sendable {
        let name: String
        let priority: Priority
        let body: @Sendable () -> Void

        init(name: String, priority: Priority, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.priority = priority
            self.body = body
        }
    }

    private let handle: pthread_t

    /// Starts the thread. The caller must join or detach it, once.
    ///
    /// - Parameter name: at most 15 bytes, shown by ps(1) and debuggers.
    /// - Throws: if pthread_create(3) fails.
    package init(
        _ name: String, priority: Priority = .later, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        // All signals are blocked before the thread begins, because a thread inherits the mask.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let work = Unmanaged.passRetained(Work(name: name, priority: priority, body: body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                pictor_name_this_thread(work.name)
                // The niceness is relative to the main thread, because libdispatch changes the niceness of the thread that
                // creates this one.
                _ = pictor_be_nicer_than_main(work.priority.niceness)
                work.body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SystemError("pthread_create", code: code)
        }
        self.handle = handle
    }

    /// Waits until the thread has ended.
    package func join() { pthread_join(handle, nil) }

    /// Lets the thread end on its own; nobody waits for it.
    package func detach() { pthread_detach(handle) }
}

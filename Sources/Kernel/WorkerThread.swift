// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// A thread of our own, for work that waits, which Swift's cooperative pool never should. It takes no signals: they are
/// for the main thread, and a SIGPIPE of sendfile(2) or OpenSSL, which know no flag against it, stays pending here.
package struct WorkerThread: Sendable {
    /// Who goes first where there is more to do than the cores can. Decoders come last.
    package enum Turn: Sendable {
        /// What only takes the time of reading and writing: answers that are at hand.
        case first
        /// What makes somebody wait anyway: transfers, files, the pipeline's tasks (`TaskPriority.background` has the same
        /// niceness, as libdispatch sets it).
        case later

        fileprivate var niceness: Int32 { self == .first ? 0 : 10 }
    }

    private final class Work: Sendable {
        let name: String
        let turn: Turn
        let body: @Sendable () -> Void

        init(name: String, turn: Turn, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.turn = turn
            self.body = body
        }
    }

    private let handle: pthread_t

    /// Starts it. To be joined or detached, once.
    ///
    /// - Parameter name: at most 15 bytes, for people who look at the process.
    package init(
        _ name: String, turn: Turn = .later, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        // Blocked before the thread begins, since it inherits the mask.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let work = Unmanaged.passRetained(Work(name: name, turn: turn, body: body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                pictor_name_this_thread(work.name)
                // Not the creator's: libdispatch has niceness of its own for its threads.
                _ = pictor_be_nicer_than_main(work.turn.niceness)
                work.body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SystemError("pthread_create", code: code)
        }
        self.handle = handle
    }

    /// Waits for its end.
    package func join() { pthread_join(handle, nil) }

    package func detach() { pthread_detach(handle) }
}

// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// A thread of our own, for work that blocks: the cooperative pool's threads must never wait.
enum WorkerThread {
    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// - Parameter name: at most 15 bytes (PR_SET_NAME, prctl(2)).
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                _ = work.name.withCString { pictor_prctl(PR_SET_NAME, UInt(bitPattern: $0)) }
                work.body()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SystemError("pthread_create", code: code)
        }
        pthread_detach(thread)
    }
}

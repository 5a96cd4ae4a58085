// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Synchronization

/// Global, because a signal handler can do little more than write(2) (signal-safety(7)).
private let signalPipe = Atomic<Int32>(-1)

/// A pipe that wakes the view: each byte is a signal's number, or 0 for an answer of the daemon.
///
/// **Isolation:** any thread may wake it.
final class TopWake: Sendable {
    /// Readable when a byte is waiting.
    let reading: OwnedDescriptor
    private let writing: OwnedDescriptor

    /// Redirects signals that end the process or change the terminal to this pipe.
    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last("pipe") }
        (reading, writing) = (OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        signalPipe.store(writing.raw, ordering: .releasing)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH] {
            _ = signal(number) { number in
                let code = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(signalPipe.load(ordering: .acquiring), &byte, 1)
                errno = code
            }
        }
        // Without SIGPIPE, a terminal that is gone is reported as an error of write(2).
        _ = signal(SIGPIPE, SIG_IGN)
    }

    deinit { signalPipe.store(-1, ordering: .releasing) }

    func wake() {
        var byte: UInt8 = 0
        _ = write(writing.raw, &byte, 1)
    }

    /// The signals that have arrived. Does not wait.
    func take() -> [Int32] {
        // Cannot trap: the count is a constant.
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(reading.raw, &bytes, bytes.count)
        return bytes.prefix(max(count, 0)).map(Int32.init)
    }
}

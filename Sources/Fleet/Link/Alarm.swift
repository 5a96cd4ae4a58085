// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// Wakes the link's thread from poll(2) (eventfd(2)).
final class Alarm: Sendable {
    private let descriptor: OwnedDescriptor

    init() throws(SystemError) {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw .last("eventfd") }
        descriptor = OwnedDescriptor(adopting: raw)
    }

    /// Wakes the thread that waits; to be called on any thread.
    func ring() { _ = eventfd_write(descriptor.raw, 1) }

    /// Waits for `other` or a ring since the last wait, for so many microseconds at most.
    func wait(_ other: pollfd?, microseconds: Int64) {
        var polled = [pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)]
        if let other { polled.append(other) }
        // Rounded up, so that a deadline is over after it.
        let milliseconds = Int32(clamping: max(0, microseconds) / 1000 + 1)
        _ = poll(&polled, nfds_t(polled.count), milliseconds)
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.raw, &count)
    }
}

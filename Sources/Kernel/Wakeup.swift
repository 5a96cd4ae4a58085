// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Wakes a thread that sleeps in poll(2) (eventfd(2)).
///
/// **Isolation:** immutable; the only state is the kernel's counter.
package struct Wakeup: Sendable {
    /// Readable from `signal` until `clear`; for a caller that runs poll(2) itself.
    package let descriptor: OwnedDescriptor

    /// - Throws: if the process has no descriptor left.
    package init() throws(SystemError) {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw .last("eventfd") }
        descriptor = OwnedDescriptor(adopting: raw)
    }

    /// Wakes the thread, or keeps its next wait from sleeping. May be called on any thread.
    package func signal() {
        // EAGAIN would mean that 2⁶⁴ − 2 signals are pending; the thread wakes then in any case.
        _ = eventfd_write(descriptor.raw, 1)
    }

    /// Sleeps until the wakeup is signalled; without a time, for ever.
    package func wait(milliseconds: Int32 = -1) {
        var interest = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        poll(&interest, 1, milliseconds)
        clear()
    }

    /// Sleeps until the wakeup is signalled, for `microseconds` at most.
    package func wait(microseconds: Int64) { wait(milliseconds: Self.milliseconds(microseconds)) }

    /// Sleeps until the wakeup is signalled or `other` can be read (or written to, if `writes`), for `microseconds` at most.
    package func wait(or other: Int32, writes: Bool, microseconds: Int64) {
        var interest = [
            pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: other, events: Int16(truncatingIfNeeded: POLLIN | (writes ? POLLOUT : 0)), revents: 0),
        ]
        _ = poll(&interest, nfds_t(interest.count), Self.milliseconds(microseconds))
        clear()
    }

    /// Forgets all signals so far.
    package func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.raw, &count)
    }

    /// Rounds up, so that the deadline has passed when the wait ends.
    private static func milliseconds(_ microseconds: Int64) -> Int32 {
        Int32(clamping: max(0, microseconds) / 1000 + 1)
    }
}

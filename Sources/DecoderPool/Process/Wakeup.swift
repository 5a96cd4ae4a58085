// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// Wakes a thread that sleeps in poll(2) (eventfd(2)).
///
/// **Isolation:** immutable; the kernel's counter is the only state.
struct Wakeup: Sendable {
    let descriptor: OwnedDescriptor

    init() throws(SystemError) {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw .last("eventfd") }
        descriptor = OwnedDescriptor(adopting: raw)
    }

    func signal() {
        // EAGAIN would mean 2⁶⁴ − 2 wake-ups unseen: awake then anyway.
        _ = eventfd_write(descriptor.raw, 1)
    }

    /// Sleeps until it is signalled, for ever if no time is given.
    func wait(milliseconds: Int32 = -1) {
        var interest = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        poll(&interest, 1, milliseconds)
        clear()
    }

    func clear() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.raw, &count)
    }
}

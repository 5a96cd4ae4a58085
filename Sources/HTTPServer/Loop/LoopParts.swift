// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// The descriptors of a loop, opened before its thread starts, so that `start` can report an error.
struct LoopParts: Sendable {
    let epoll: OwnedDescriptor
    let mailbox: Mailbox
    let listeners: [Listener]

    init(listeners: [Listener]) throws(ServerError) {
        let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard raw >= 0 else { throw .cannotStart(.last("epoll_create1")) }
        epoll = OwnedDescriptor(adopting: raw)
        mailbox = try Mailbox()
        self.listeners = listeners
    }
}

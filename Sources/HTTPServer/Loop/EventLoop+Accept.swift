// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import CLinux
internal import Glibc
internal import HTTP1
internal import HTTPSemantics
internal import Kernel
internal import Synchronization

// How connections come and go.

extension EventLoop {
    /// Watches the listeners. Level-triggered: epoll reports a connection again in the next iteration if this one does not accept it.
    mutating func startAccepting() {
        acceptAgain = nil
        // A descriptor may have become free since.
        if reserve < 0 { reserve = Self.openReserve() }
        for (index, listener) in listeners.enumerated() {
            let sharing = listener.isShared ? EPOLLEXCLUSIVE.rawValue : 0
            watch(listener.descriptor.raw, slot: index, events: EPOLLIN.rawValue | sharing)
        }
    }

    /// Opens a descriptor to hold in reserve, whichever it is; negative if there is none.
    static func openReserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

    private mutating func stopAccepting() {
        var event = epoll_event()
        for listener in listeners {
            epoll_ctl(epoll.raw, EPOLL_CTL_DEL, listener.descriptor.raw, &event)
        }
    }

    /// Accepts up to `acceptsPerIteration` connections, so that a flood of new ones does not starve the open ones.
    /// - Returns: true if more may wait.
    @discardableResult
    mutating func acceptSome(from index: Int) -> Bool {
        for _ in 0..<Self.acceptsPerIteration {
            var storage = sockaddr_storage()
            let descriptor = pictor_accept(listeners[index].descriptor.raw, &storage)
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EAGAIN: return false
                default:
                    pauseAccepting(index)
                    return false
                }
            }
            admit(descriptor, PeerAddress(storage))
        }
        return true
    }

    /// Pauses accepting, because no descriptor or no memory is left (EMFILE, ENFILE, ENOBUFS, ENOMEM). The reserved descriptor is
    /// closed, so that one client can be accepted and refused; the others wait in the kernel's queue until a connection has ended.
    private mutating func pauseAccepting(_ index: Int) {
        if reserve >= 0 {
            close(reserve)
            let descriptor = pictor_accept(listeners[index].descriptor.raw, nil)
            if descriptor >= 0 { turnAway(descriptor, .local, .tooManyConnections) }
            reserve = Self.openReserve()
        }
        stopAccepting()
        acceptAgain = ticks + 100_000
    }

    private mutating func admit(_ descriptor: Int32, _ peer: PeerAddress) {
        let isTrusted = configuration.clientRule.proxies.contains(peer.ip)
        if configuration.expectsProxyHeader, !isTrusted { return dismiss(descriptor) }
        // Checked here, before any memory is taken for the connection.
        var client: ClientKey?
        if !isTrusted, let clients = state.clients, let key = key(of: peer) {
            guard clients.enter(key) else {
                state.ofOneClient.add(1, ordering: .relaxed)
                return turnAway(descriptor, peer, .tooManyConnectionsOfClient)
            }
            client = key
        }
        let open = state.open.add(1, ordering: .relaxed).newValue
        let hasReserve = configuration.descriptorLimit == 0 || descriptor < configuration.descriptorLimit
        guard open <= configuration.maximumConnections, hasReserve,
            let slot = connections.insert(descriptor: descriptor)
        else {
            state.open.subtract(1, ordering: .relaxed)
            if let client { state.clients?.leave(client) }
            return turnAway(descriptor, peer, .tooManyConnections)
        }
        state.accepted.add(1, ordering: .relaxed)
        connections[slot].peer = peer
        connections[slot].isCounted = client != nil
        handle(slot, .accepted(expectsProxyHeader: configuration.expectsProxyHeader))
    }

    /// Refuses a connection and closes it without waiting. A client that has not sent its request yet may see a reset instead of the
    /// refusal (RFC 9112 §9.6).
    private mutating func turnAway(_ descriptor: Int32, _ peer: PeerAddress, _ error: MessageError) {
        state.accepted.add(1, ordering: .relaxed)
        state.turnedAway.add(1, ordering: .relaxed)
        _ = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        let id = requestNumbers.take()
        let response = handler.refusal(error)
        let content = write(response, id: id.text, isLast: true, headOnly: false)
        outbox.finish(
            .init(status: error.status, content: content, tag: response.tag, started: ticks, id: id), to: peer
        )
        _ = outbox.send(to: descriptor)
        outbox.report(to: handler, aborted: true)
        outbox.reset()
        shutdown(descriptor, Int32(SHUT_WR))
        close(descriptor)
    }

    /// Accepts the connections in the kernel's queue, and then no more. Idle connections end soon, the others after their answer. A
    /// second call only moves the deadline.
    mutating func drain(by deadline: Int64) {
        guard drainDeadline == nil else {
            drainDeadline = deadline
            return
        }
        drainDeadline = deadline
        for index in listeners.indices { while acceptSome(from: index) {} }
        stopAccepting()
        listeners = []
        for slot in 0..<connections.used { handle(slot, .drain) }
    }
}

// MARK: Clients and proxies

extension EventLoop {
    /// The key by which a peer's connections are counted; nil for a peer without an address, as on a Unix socket.
    private func key(of peer: PeerAddress) -> ClientKey? {
        ClientKey(peer, prefix: configuration.ipv6Prefix)
    }

    /// Closes a connection that does not come from a trusted proxy.
    private mutating func dismiss(_ descriptor: Int32) {
        state.accepted.add(1, ordering: .relaxed)
        state.withoutProxyHeader.add(1, ordering: .relaxed)
        close(descriptor)
    }

    func leaveCensus(_ peer: PeerAddress) {
        if let key = key(of: peer) { state.clients?.leave(key) }
    }

    /// Reads the header of the PROXY protocol, and counts the connection for the client that it names.
    /// - Returns: the length of the header; nil if it is incomplete, or the connection is gone or closing.
    mutating func consumeProxyHeader(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        do throws(ProxyHeaderError) {
            guard let header = try ProxyHeader.decode(bytes) else { return nil }
            handle(slot, .proxyHeader)
            guard let client = header.client else { return header.length }
            connections[slot].peer = client
            guard let clients = state.clients, let key = key(of: client),
                !configuration.clientRule.proxies.contains(client.ip)
            else { return header.length }
            guard clients.enter(key) else {
                state.turnedAway.add(1, ordering: .relaxed)
                state.ofOneClient.add(1, ordering: .relaxed)
                handle(slot, .faulty(.tooManyConnectionsOfClient))
                return nil
            }
            connections[slot].isCounted = true
            return header.length
        } catch {
            handle(slot, .badProxyHeader)
            return nil
        }
    }

    /// The client of a request whose head is complete.
    func client(_ slot: Int, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> PeerAddress {
        guard configuration.clientRule.field != nil else { return connections[slot].peer }
        return configuration.clientRule.client(of: head, in: bytes, from: connections[slot].peer)
    }
}

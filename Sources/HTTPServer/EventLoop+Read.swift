// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTP1
internal import HTTPSemantics

// From the socket to the request.

extension EventLoop {
    mutating func handle(_ slot: Int, _ events: UInt32) {
        // Both sides are shut, or the connection is broken: nobody reads an answer any more.
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return destroy(slot) }
        if events & EPOLLRDHUP.rawValue != 0 { connections[slot].flags.insert([.readable, .peerClosed]) }
        if events & EPOLLIN.rawValue != 0 { connections[slot].flags.insert(.readable) }
        switch connections[slot].phase {
        case .writing:
            if events & EPOLLOUT.rawValue != 0 { continueWriting(slot) }
        case .answering, .holding:
            // It might read on with only its own side shut, but no client that waits for a picture does so.
            if connections[slot].flags.contains(.peerClosed) { destroy(slot) }
        default: read(slot)
        }
    }

    /// Reads and answers until the socket is empty, something has to be waited for, or others should have a turn.
    mutating func read(_ slot: Int) {
        let generation = connections[slot].generation
        var rounds = 0
        while connections[slot].isReading, connections[slot].flags.contains(.readable) {
            guard rounds < 8 else {
                unfinished.append((slot, generation))
                return
            }
            rounds += 1
            guard readOnce(slot), connections.isCurrent(slot, generation) else { return }
        }
    }

    /// False when there was nothing to read or the connection is gone.
    private mutating func readOnce(_ slot: Int) -> Bool {
        if let work = connections[slot].work, var store = work.input.take() {
            let count = receive(slot, store.space())
            if count > 0 { store.commit(count) }
            if count > 0 {
                process(slot, store)
                return true
            }
            // After a failure the connection is gone and the bytes with it.
            if count == 0 { work.input = consume store }
            return false
        }
        let count = receive(slot, buffer)
        guard count > 0 else { return false }
        let bytes = UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)
        let generation = connections[slot].generation
        let consumed = consume(slot, bytes)
        guard connections.isCurrent(slot, generation) else { return true }
        if consumed < count, keepsInput(slot) {
            var store = ByteStore(capacity: max(count - consumed, 1024))
            store.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
            work(of: slot).input = consume store
        }
        settle(slot)
        return true
    }

    /// The number of bytes, 0 for "not now", or −1 when the connection was closed.
    private mutating func receive(_ slot: Int, _ space: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(connections[slot].descriptor, space.baseAddress, space.count, 0)
            if count > 0 {
                // A short read has emptied the socket, and epoll will tell of what comes later; it will not tell
                // again that the peer has closed.
                if count < space.count, !connections[slot].flags.contains(.peerClosed) {
                    connections[slot].flags.remove(.readable)
                }
                return count
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                connections[slot].flags.remove(.readable)
                return 0
            }
            // The end in the middle of a request, or between two: there is nobody to answer.
            destroy(slot)
            return -1
        }
    }

    /// Goes on with bytes that had to wait.
    private mutating func process(_ slot: Int, _ input: consuming ByteStore) {
        var store = input
        let generation = connections[slot].generation
        let consumed = consume(slot, store.bytes)
        guard connections.isCurrent(slot, generation) else { return }
        if consumed < store.count, keepsInput(slot) {
            // Cannot trap: less than there are.
            store.removeFirst(consumed)
            work(of: slot).input = consume store
        }
        settle(slot)
    }

    /// What follows the last request is not read as another one.
    private func keepsInput(_ slot: Int) -> Bool {
        connections[slot].phase == .body || !connections[slot].flags.contains(.lastAnswer)
    }

    /// An answer is out: takes up what waited behind it.
    mutating func resume(_ slot: Int) {
        let generation = connections[slot].generation
        if let work = connections[slot].work {
            if let store = work.input.take() {
                process(slot, store)
                guard connections.isCurrent(slot, generation) else { return }
            }
            if work.isEmpty { connections[slot].work = nil }
        }
        if connections[slot].isReading { read(slot) }
    }

    mutating func work(of slot: Int) -> Work {
        if let work = connections[slot].work { return work }
        let work = Work()
        connections[slot].work = work
        return work
    }
}

// MARK: Bytes to requests

extension EventLoop {
    /// Answers every complete request in `bytes` as far as it can; returns how many bytes are done with.
    private mutating func consume(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        var consumed = 0
        while consumed < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[consumed...])
            let count: Int?
            switch connections[slot].phase {
            case .greeting: count = consumeProxyHeader(slot, rest)
            case .idle, .head: count = consumeHead(slot, rest)
            case .body: count = consumeBody(slot, rest)
            case .lingering: count = discard(slot, rest)
            case .free, .answering, .holding, .writing: count = nil
            }
            guard let count else { break }
            consumed += count
            if connections[slot].flags.contains(.lastAnswer), connections[slot].phase == .idle { break }
        }
        return consumed
    }

    /// nil when nothing more can be done with the bytes now.
    private mutating func consumeHead(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        var parser = connections[slot].work?.parser.take() ?? RequestParser(limits: configuration.limits)
        do throws(MessageError) {
            guard try parser.parse(bytes) == .complete else {
                waitForHead(slot, parser)
                return nil
            }
            let client = client(slot, parser.head, bytes)
            return try answer(slot, RequestView(head: parser.head, bytes: bytes, peer: client))
        } catch {
            refuse(slot, error, RequestView(head: parser.head, bytes: bytes, peer: connections[slot].peer))
            return nil
        }
    }

    private mutating func waitForHead(_ slot: Int, _ parser: RequestParser) {
        work(of: slot).parser = parser
        guard connections[slot].phase == .idle else { return }
        connections[slot].phase = .head
        // The first head's deadline began at accept; a head that trickles in does not move its own.
        if connections[slot].requests > 0 { setDeadline(slot, milliseconds: configuration.headTimeout) }
    }

    private mutating func consumeBody(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let work = connections[slot].work, var decoder = work.body.take() else { return nil }
        do throws(MessageError) {
            let keeps = configuration.keepsBodies
            let count = try decoder.decode(bytes) { content in
                if keeps { work.request?.body.append(contentsOf: content) }
            }
            if decoder.isComplete {
                startTask(slot, work)
            } else {
                work.body = decoder
            }
            return count
        } catch {
            refuse(slot, error)
            return nil
        }
    }

    /// The peer speaks on after the end. It is listened to, so that our last words are not lost to a reset, but not
    /// for ever.
    private mutating func discard(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        let work = work(of: slot)
        work.discarded += bytes.count
        if work.discarded > 1 << 20 {
            destroy(slot)
            return nil
        }
        return bytes.count
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTP1
internal import HTTPSemantics

// From the socket to the request.

extension EventLoop {
    /// Reads and answers until the socket is empty, a request must wait, or other connections should go on.
    mutating func read(_ slot: Int) {
        var rounds = 0
        while connections[slot].state.wantsInput {
            guard rounds < Self.readsPerIteration else {
                unfinished.append((slot, connections[slot].state.generation))
                return
            }
            rounds += 1
            readOnce(slot)
        }
    }

    private mutating func readOnce(_ slot: Int) {
        if let work = connections[slot].work, var store = work.input.take() {
            let count = receive(slot, store.space())
            if count > 0 {
                store.commit(count)
                process(slot, store)
            } else if connections[slot].state.phase != .free {
                work.input = consume store
            }
            return
        }
        let count = receive(slot, buffer)
        guard count > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)
        let consumed = consume(slot, bytes)
        if consumed < count, connections[slot].state.keepsInput {
            var store = ByteStore(capacity: max(count - consumed, ByteStore.least))
            store.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
            work(of: slot).input = consume store
        }
        settle(slot)
    }

    /// Returns the number of bytes read; 0 if there are none now, or no more will come.
    private mutating func receive(_ slot: Int, _ space: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(connections[slot].descriptor, space.baseAddress, space.count, 0)
            if count > 0 {
                if count < space.count { handle(slot, .shortRead) }
                return count
            }
            if count < 0, errno == EINTR { continue }
            let isEmpty = count < 0 && errno == EAGAIN
            if isEmpty { handle(slot, .emptyRead) } else { handle(slot, .endOfInput) }
            return 0
        }
    }

    /// Takes up requests from bytes that had to wait for an answer.
    private mutating func process(_ slot: Int, _ input: consuming ByteStore) {
        var store = input
        let consumed = consume(slot, store.bytes)
        if consumed < store.count, connections[slot].state.keepsInput {
            // Cannot trap: fewer than there are.
            store.removeFirst(consumed)
            work(of: slot).input = consume store
        }
        settle(slot)
    }

    /// Takes up the requests that were pipelined behind an answer, which has been sent.
    mutating func takeUpInput(_ slot: Int) {
        if let work = connections[slot].work {
            if let store = work.input.take() { process(slot, store) }
            if work.isEmpty { connections[slot].work = nil }
        }
        read(slot)
    }
}

// MARK: Bytes to requests

extension EventLoop {
    /// Answers every complete request in `bytes` as far as possible; returns how many bytes were consumed.
    private mutating func consume(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        var consumed = 0
        while consumed < bytes.count {
            let remaining = UnsafeRawBufferPointer(rebasing: bytes[consumed...])
            let count: Int?
            switch connections[slot].state.phase {
            case .greeting: count = consumeProxyHeader(slot, remaining)
            case .idle, .head: count = consumeHead(slot, remaining)
            case .body: count = consumeBody(slot, remaining)
            case .lingering: count = discard(slot, remaining)
            case .free, .answering, .streaming, .sending, .holding, .writing: count = nil
            }
            guard let count else { break }
            consumed += count
        }
        return consumed
    }

    /// Reads one head and takes up its request (`answer`).
    /// - Returns: the bytes of the head; nil if nothing more can be done with the bytes now.
    private mutating func consumeHead(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        var parser = connections[slot].work?.parser.take() ?? RequestParser(limits: configuration.limits)
        do throws(MessageError) {
            guard case .complete = try parser.parse(bytes) else {
                work(of: slot).parser = parser
                // After an empty line alone, a connection is still between requests.
                if parser.hasBegun { handle(slot, .partialHead) }
                return nil
            }
            let client = client(slot, parser.head, bytes)
            return try answer(slot, RequestView(head: parser.head, bytes: bytes, peer: client))
        } catch {
            let step = advance(slot, .faulty(error))
            if step == .refuse(error) {
                // Fields name the client (`X-Forwarded-For`) only if the head is complete; otherwise the field that the trusted proxy
                // adds may be missing, and one that the client has written may be there.
                let peer =
                    parser.head.length > 0 ? client(slot, parser.head, bytes) : connections[slot].peer
                refuse(slot, error, RequestView(head: parser.head, bytes: bytes, peer: peer))
            } else {
                perform(step, on: slot)
            }
            return nil
        }
    }

    private mutating func consumeBody(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let work = connections[slot].work, var decoder = work.body.take() else { return nil }
        do throws(MessageError) {
            let keeps = configuration.keepsBodies
            let count = try decoder.decode(bytes) { content in
                if keeps { work.request?.body.append(contentsOf: content) }
            }
            if decoder.isComplete {
                handle(slot, .endOfBody)
            } else {
                work.body = decoder
            }
            return count
        } catch {
            handle(slot, .faulty(error))
            return nil
        }
    }

    /// Drops what the peer sends after our side is closed. It must be read, so that no reset destroys the last answer (RFC 9112
    /// §9.6); the connection's state limits how much.
    private mutating func discard(_ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        let work = work(of: slot)
        work.discarded += bytes.count
        handle(slot, .discarded(total: work.discarded))
        return bytes.count
    }
}

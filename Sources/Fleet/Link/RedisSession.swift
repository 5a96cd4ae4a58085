// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// A connected socket with the bytes that are not sent yet and the reply that is not complete yet.
///
/// **Isolation:** the link's thread.
final class RedisSession {
    /// Microseconds between two questions to the abort check.
    private static let look: Int64 = 1_000_000

    let address: RedisAddress
    private let socket: RedisSocket
    private let reader: ReplyReader
    /// Bytes that the socket has not accepted. They are offered again from the same address, because OpenSSL requires that
    /// (SSL_write(3)) unless libcurl, from 8.10 on, sets a mode that lifts the requirement.
    private var unsent: ArraySlice<UInt8> = []
    /// Bytes to be sent after `unsent`.
    private var later: [UInt8] = []
    private let buffer: UnsafeMutableRawBufferPointer

    /// Connects. Blocks.
    init(
        _ address: RedisAddress, _ configuration: RedisConfiguration, abort: RedisSocket.AbortCheck
    ) throws(RedisFailure) {
        guard let reader = ReplyReader() else { throw .away("no memory") }
        self.address = address
        self.reader = reader
        socket = try RedisSocket(
            address, authorities: configuration.authorities, timeout: configuration.connectTimeout,
            abort: abort)
        // Allocated last, because `deinit` does not run if connecting throws.
        buffer = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Takes bytes to be sent, and sends as many as the socket accepts now.
    func send(_ bytes: [UInt8]) throws(RedisFailure) {
        if unsent.isEmpty { unsent = bytes[...] } else { later += bytes }
        while !unsent.isEmpty {
            let count = try socket.send(unsent)
            if count == 0 { break }
            unsent = unsent.dropFirst(count)
            if unsent.isEmpty { (unsent, later) = (later[...], []) }
        }
    }

    /// The complete replies so far. Reads 64 times at most, so that a busy connection does not delay deadlines.
    func receive() throws(RedisFailure) -> [RedisReply] {
        var replies: [RedisReply] = []
        for _ in 0..<64 {
            let count = try socket.receive(buffer)
            if count == 0 { return replies }
            do throws(ReplyReader.Failure) {
                replies += try reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } catch {
                throw .unreadable(error.words)
            }
        }
        return replies
    }

    func wait(wakeup: Wakeup, microseconds: Int64) {
        socket.wait(writes: !unsent.isEmpty, wakeup: wakeup, microseconds: microseconds)
    }

    /// Sends the commands one after the other and waits for the reply to each. Nothing else may have been sent before.
    /// - Throws: `away` if Redis answers with an error, of which only the code is kept.
    func ask(
        _ commands: [RedisCommand], within limit: Duration, wakeup: Wakeup, abort: RedisSocket.AbortCheck
    ) throws(RedisFailure) -> [RedisReply] {
        let end = pictor_monotonic_microseconds() + limit.wholeMicroseconds
        var answers: [RedisReply] = []
        for command in commands {
            try send(command.bytes)
            var replies: [RedisReply] = []
            while replies.isEmpty {
                guard !abort.isDue() else { throw .closed }
                let rest = end - pictor_monotonic_microseconds()
                guard rest > 0 else { throw .lost("\(address.words) does not answer") }
                wait(wakeup: wakeup, microseconds: min(rest, Self.look))
                try send([])
                replies = try receive()
            }
            guard replies.count == 1, let reply = replies.first else {
                throw .lost("Redis sent a reply without a command")
            }
            if case .error(let words) = reply {
                // The rest of the error may repeat the command and so the password.
                let name = command.words.first ?? ""
                throw .away("\(address.words) refuses \(name): \(RedisFailure.code(of: words))")
            }
            answers.append(reply)
        }
        return answers
    }
}

extension Duration {
    /// Milliseconds; at most ten years.
    var wholeMilliseconds: Int64 { wholeMicroseconds / 1_000 }
}

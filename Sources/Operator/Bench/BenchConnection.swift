// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// One of the client's connections: it sends one request at a time, over a socket that stays open as long as the server allows.
///
/// **Isolation:** the thread of its `BenchRun`.
final class BenchConnection {
    /// The result of a request.
    enum Result {
        case answer(AnswerReader)
        /// A short reason; equal causes give equal words, so that they can be counted.
        case failure(String)
    }

    /// When each event happened, in microseconds of one clock; 0 if it has not happened yet.
    struct Times {
        var intended: Int64 = 0
        var connecting: Int64 = 0
        var sending: Int64 = 0
        var firstByte: Int64 = 0
    }

    private enum Phase { case idle, connecting, sending, reading }

    /// An answer that takes longer than so many microseconds is a failure.
    static let patience: Int64 = 30_000_000

    private let peer: BenchPeer
    private let request: [UInt8]
    private let epoll: Int32
    private let number: Int
    private var socket: OwnedDescriptor?
    private var phase = Phase.idle
    private var sent = 0
    private var reader = AnswerReader()
    /// The times of the present request.
    private(set) var times = Times()

    init(_ peer: BenchPeer, _ request: [UInt8], epoll: Int32, number: Int) {
        self.peer = peer
        self.request = request
        self.epoll = epoll
        self.number = number
    }

    var isIdle: Bool { phase == .idle }

    /// When the present request fails for want of an answer.
    var deadline: Int64 { (times.connecting > 0 ? times.connecting : times.sending) + Self.patience }

    /// Begins a request.
    /// - Returns: the result if it is known at once; nil if `ready` will give it.
    func begin(intended: Int64, now: Int64) -> Result? {
        times = Times(intended: intended)
        reader = AnswerReader()
        sent = 0
        if socket != nil {
            times.sending = now
            return send()
        }
        times.connecting = now
        do throws(SystemError) {
            let socket = try peer.connected()
            self.socket = socket
            phase = .connecting
            try watch(EPOLL_CTL_ADD, UInt32(EPOLLOUT.rawValue))
            return nil
        } catch {
            return fail("\(error)")
        }
    }

    /// Called when the socket can be read or written, or has ended.
    func ready(_ buffer: inout [UInt8]) -> Result? {
        switch phase {
        case .idle:
            // The server closes an idle connection.
            close()
            return nil
        case .connecting:
            var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(socket?.raw ?? -1, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { return fail("\(SystemError("connect", code: code))") }
            times.sending = pictor_monotonic_microseconds()
            return send()
        case .sending: return send()
        case .reading: return read(&buffer)
        }
    }

    /// Fails a request that took too long.
    func expire() -> Result { fail("no answer within \(Self.patience / 1_000_000) s") }

    private func send() -> Result? {
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes {
                Glibc.send(socket?.raw ?? -1, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN || errno == EINTR {
                if phase == .sending { return nil }
                phase = .sending
                return watched(UInt32(EPOLLOUT.rawValue))
            }
            guard count > 0 else { return fail("\(SystemError.last("send"))") }
            sent += count
        }
        let wasReading = phase == .idle
        phase = .reading
        return wasReading ? nil : watched(UInt32(EPOLLIN.rawValue))
    }

    private func read(_ buffer: inout [UInt8]) -> Result? {
        while true {
            let count = recv(socket?.raw ?? -1, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return nil }
            guard count >= 0 else { return fail("\(SystemError.last("recv"))") }
            if count == 0 {
                return reader.end() ? finish(keep: false) : fail("closed before the answer's end")
            }
            if times.firstByte == 0 { times.firstByte = pictor_monotonic_microseconds() }
            do throws(AnswerReader.Malformed) {
                let used = try reader.take(buffer[..<count])
                guard reader.isComplete else { continue }
                // Bytes behind the answer belong to no request, so the connection cannot be used again.
                return used == count ? finish(keep: reader.keepsAlive) : finish(keep: false)
            } catch {
                return fail("not HTTP")
            }
        }
    }

    private func finish(keep: Bool) -> Result {
        phase = .idle
        if !keep { close() }
        return .answer(reader)
    }

    private func fail(_ words: String) -> Result {
        close()
        return .failure(words)
    }

    private func close() {
        socket = nil
        phase = .idle
    }

    private func watched(_ events: UInt32) -> Result? {
        do throws(SystemError) {
            try watch(EPOLL_CTL_MOD, events)
            return nil
        } catch {
            return fail("\(error)")
        }
    }

    private func watch(_ order: Int32, _ events: UInt32) throws(SystemError) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = UInt64(clamping: number)
        guard epoll_ctl(epoll, order, socket?.raw ?? -1, &event) == 0 else { throw .last("epoll_ctl") }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// Sends the requests of a plan over its connections in one thread, and counts the results.
///
/// **Isolation:** one thread; `go` blocks it.
final class BenchRun {
    /// The run ends after so many failures, because a server that is gone need not be asked for an hour.
    private static let mostFailures = 100

    private let epoll: OwnedDescriptor
    private var plan: BenchPlan
    private let connections: [BenchConnection]
    private var began: Int64 = 0
    private var failuresInRow = 0
    private var lastEnd: Int64 = 0
    /// Times of the answers.
    private(set) var latencies = LatencyCounts()
    private(set) var statuses: [String: Int] = [:]
    private(set) var failures: [String: Int] = [:]
    private(set) var bytes = 0
    private(set) var late = 0
    /// The last answer, its times, and the time at which it was complete.
    private(set) var last: (answer: AnswerReader, times: BenchConnection.Times, end: Int64)?

    init(_ peer: BenchPeer, _ request: [UInt8], _ plan: BenchPlan) throws(SystemError) {
        let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard raw >= 0 else { throw .last("epoll_create1") }
        epoll = OwnedDescriptor(adopting: raw)
        self.plan = plan
        connections = (0..<plan.connections).map {
            BenchConnection(peer, request, epoll: raw, number: $0)
        }
    }

    var requests: Int { plan.begun }
    var microseconds: Int64 { lastEnd }

    /// Returns when every request that has begun has ended.
    func go() throws(SystemError) {
        // Cannot trap: the count is a constant.
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        began = pictor_monotonic_microseconds()
        while true {
            begin()
            let isBusy = connections.contains { !$0.isIdle }
            let next = failuresInRow < Self.mostFailures ? plan.next(now) : nil
            if next == nil, !isBusy { return }
            let hasIdle = connections.contains { $0.isIdle }
            wait(until: hasIdle ? next : nil)
            let count = epoll_wait(epoll.raw, &events, Int32(clamping: events.count), 0)
            guard count >= 0 || errno == EINTR else { throw .last("epoll_wait") }
            for event in events.prefix(Int(max(count, 0))) {
                guard let place = Int(exactly: event.data.u64), connections.indices.contains(place) else {
                    continue
                }
                if let result = connections[place].ready(&buffer) { note(result, connections[place]) }
            }
            let moment = pictor_monotonic_microseconds()
            for connection in connections where !connection.isIdle && connection.deadline <= moment {
                note(connection.expire(), connection)
            }
        }
    }

    private var now: Int64 { pictor_monotonic_microseconds() - began }

    /// Gives the requests that are due to idle connections.
    private func begin() {
        for connection in connections where connection.isIdle {
            let now = now
            guard failuresInRow < Self.mostFailures, let intended = plan.next(now), intended <= now else {
                return
            }
            plan.begin()
            if plan.rate != nil, now - intended > 1_000 { late += 1 }
            if let result = connection.begin(intended: began + intended, now: began + now) {
                note(result, connection)
            }
        }
    }

    /// Sleeps until a socket is ready or the time `next` has come, but at most 100 ms, so that deadlines are checked. select(2)
    /// is used because it waits for microseconds; epoll_wait(2) waits for whole milliseconds, which would add to each latency.
    private func wait(until next: Int64?) {
        let pause = min(max((next ?? .max) - now, 0), 100_000)
        var limit = timeval(tv_sec: 0, tv_usec: Int(pause))
        var set = fd_set()
        let descriptor = Int(epoll.raw)
        withUnsafeMutableBytes(of: &set) { bits in
            // Cannot trap: the index is checked. The first descriptors of a process are far below the set's 1024.
            if descriptor / 8 < bits.count { bits[descriptor / 8] |= 1 << UInt8(descriptor % 8) }
        }
        _ = select(epoll.raw + 1, &set, nil, nil, &limit)
    }

    private func note(_ result: BenchConnection.Result, _ connection: BenchConnection) {
        let end = pictor_monotonic_microseconds()
        lastEnd = end - began
        switch result {
        case .failure(let words):
            failures[words, default: 0] += 1
            failuresInRow += 1
        case .answer(let answer):
            failuresInRow = 0
            statuses["\(answer.status)", default: 0] += 1
            bytes += answer.bodyBytes
            let times = connection.times
            let start = plan.rate == nil ? times.sending : times.intended
            latencies.record(microseconds: Int(clamping: end - start))
            last = (answer, times, end)
        }
    }
}

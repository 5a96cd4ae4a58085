// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Origin
import SourceURLs
import Synchronization
import Testing

@Suite struct `Sockets that libcurl opens` {
    /// This process has no descriptor with this number.
    private let number: Int32 = 1_000_000

    @Test func `are forgotten with their hop where nothing was asked over them`() throws {
        let connections = Connections(try .loopback(), AtomicDownloadCounters()) { _ in }
        weak var held: Connections.Connection?
        do {
            let socket = try #require(connections.opened(number))
            held = socket
            connections.leave(socket)
        }
        let isHeld = held != nil
        #expect(!isHeld)
    }

    @Test func `are not taken for earlier ones with their number`() throws {
        let connections = Connections(try .loopback(), AtomicDownloadCounters()) { _ in }
        weak var held: Connections.Connection?
        do {
            let earlier = try #require(connections.opened(number))
            held = connections.opened(number)
            connections.leave(earlier)
        }
        let isHeld = held != nil
        #expect(isHeld)
        withExtendedLifetime(connections) {}
    }
}

@Suite struct `Sockets that libcurl has closed` {
    private final class Reports: Sendable {
        private let keys = Mutex<Set<OriginalKey>>([])

        var forgotten: Set<OriginalKey> { keys.withLock(\.self) }

        func add(_ desync: Desync) { keys.withLock { $0.formUnion(desync.forgotten) } }
    }

    private func key(_ name: String) -> OriginalKey { OriginalKey(url: "http://a.example/\(name)") }

    /// Records two answers over a socket at time 0, and lets libcurl close the socket at `end`.
    /// - Returns: the other end, which stays open.
    private func closeSocket(_ number: Int, of connections: Connections, at end: Ticks) throws -> Int32 {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let connection = try #require(connections.opened(pair[0]))
        let origin = SourceOrigin(scheme: .http, host: "a.example", port: 80)
        for name in ["first", "second"] {
            try #require(connections.mayAsk(connection, origin, mayShare: false, tls: nil, at: 0))
            connections.answered(
                connection, key("\(name)-\(number)"), at: 0, wait: 0, isLast: false, isExceeded: false)
        }
        connections.closed(pair[0], at: end)
        return pair[1]
    }

    @Test(arguments: [(1, ["second-0"]), (1_000_000, [])] as [(Ticks, [String])])
    func `beyond their limit have what the oldest has not proved forgotten`(
        end: Ticks, forgotten: [String]
    ) throws {
        let reports = Reports()
        let connections = Connections(try .loopback(), AtomicDownloadCounters()) { reports.add($0) }
        var others: [Int32] = []
        defer { for other in others { close(other) } }
        for number in 0..<Connections.lingerLimit {
            others.append(try closeSocket(number, of: connections, at: 1))
        }
        #expect(reports.forgotten.isEmpty)
        others.append(try closeSocket(Connections.lingerLimit, of: connections, at: end))
        #expect(reports.forgotten == Set(forgotten.map(key)))
        withExtendedLifetime(connections) {}
    }
}

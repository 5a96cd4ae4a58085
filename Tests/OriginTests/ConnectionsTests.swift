// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import Testing

@Suite struct `Sockets that libcurl opens` {
    /// No descriptor of this process has it.
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

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("Messages wait for a service manager that does not read")
struct ServiceMessagesTests {
    private func all(_ messages: inout ServiceMessages) -> [String] {
        var texts: [String] = []
        while let text = messages.next() { texts.append(text) }
        return texts
    }

    @Test func `one message of each state waits at most, and the last one tells the present state`() {
        var messages = ServiceMessages()
        for number in 1...10_000 {
            _ = messages.add("alive \(number)", of: .alive)
            _ = messages.add("reloading \(number)", of: .reloading)
            _ = messages.add("ready \(number)", of: .ready)
        }
        let sent = all(&messages)
        #expect(sent == ["alive 10000", "reloading 10000", "ready 10000"])
    }

    @Test func `messages of a stop all wait, in their order`() {
        var messages = ServiceMessages()
        _ = messages.add("ready", of: .ready)
        _ = messages.add("stopping", of: .stopping)
        for number in 1...3 { _ = messages.add("extend \(number)", of: nil) }
        let sent = all(&messages)
        #expect(sent == ["ready", "stopping", "extend 1", "extend 2", "extend 3"])
    }

    @Test func `after a stop nothing tells of a reload, nor that the daemon is ready`() {
        var messages = ServiceMessages()
        _ = messages.add("stopping", of: .stopping)
        let told = all(&messages)
        let reloading = messages.add("reloading", of: .reloading)
        let ready = messages.add("ready", of: .ready)
        let alive = messages.add("alive", of: .alive)
        let sent = all(&messages)
        #expect(told == ["stopping"] && sent == ["alive"])
        #expect(!reloading && !ready && alive)
    }

    @Test func `one sender is started, and another once that one has found nothing more`() {
        var messages = ServiceMessages()
        let first = messages.add("a", of: nil)
        let second = messages.add("b", of: nil)
        #expect(first && !second)
        _ = messages.next()
        let third = messages.add("c", of: nil)
        let rest = all(&messages)
        #expect(!third && rest == ["b", "c"])
        let fourth = messages.add("d", of: nil)
        #expect(fourth)
    }
}

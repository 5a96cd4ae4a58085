// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import ImageHeaders
@testable import Pipeline
import Recipes
import SourceURLs
import Synchronization

/// The bytes of a test: their content, and the header that an inspector would read.
struct TestBody: Sendable, Hashable {
    var content: String
    /// Nil if the bytes are no image.
    var header: ImageHeader? = ImageHeader(format: .jpeg, width: 4000, height: 3000)

    var digest: OriginalDigest { OriginalDigest(testDigest(content.utf8)) }
}

/// Gives scripted answers, and records the requests.
final class OriginDouble: OriginPort {
    enum Line: Sendable {
        case picture(TestBody, [String: String])
        case notModified([String: String])
        /// A 304 for a conditional request, and the picture for any other.
        case unchanged(TestBody, [String: String])
        case status(Int, [String: String] = [:])
        case failure(OriginFailure, hasConnected: Bool = true, dependsOnURL: Bool = false)
    }

    private struct State {
        /// The answers in turn; the last one is repeated.
        var lines: [Line] = [
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        ]
        var requests: [OriginRequest] = []
        var cancelled = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let clock: HandMovedClock
    /// Every exchange waits at this gate.
    let gate: Gate

    init(clock: HandMovedClock, gate: Gate) {
        self.clock = clock
        self.gate = gate
    }

    /// Sets the answer to every request from now on.
    func says(_ line: Line) { says([line]) }
    /// Sets one answer for each request, and the last one for all later requests.
    func says(_ lines: [Line]) { state.withLock { $0.lines = lines } }

    var requests: [OriginRequest] { state.withLock(\.requests) }
    /// The number of transfers whose task was cancelled.
    var cancelled: Int { state.withLock(\.cancelled) }

    /// From now on the policy permits no URL.
    func close() { state.withLock { $0.isClosed = true } }

    func giveWay(to waiting: Int) {}

    func permits(_ source: SourceURL) -> Bool { !state.withLock(\.isClosed) }

    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<TestBody> {
        let sent = clock.now()
        state.withLock { $0.requests.append(request) }
        guard await gate.pass() else {
            state.withLock { $0.cancelled += 1 }
            throw FailedExchange(.cancelled)
        }
        switch state.withLock({ $0.lines.count > 1 ? $0.lines.removeFirst() : $0.lines[0] }) {
        case .picture(let body, let fields):
            return reply(
                .complete(body: body, length: body.content.utf8.count, digest: body.digest), fields, sent)
        case .unchanged(let body, let fields) where request.validators.isEmpty:
            return reply(
                .complete(body: body, length: body.content.utf8.count, digest: body.digest), fields, sent)
        case .notModified(let fields), .unchanged(_, let fields): return reply(.notModified, fields, sent)
        case .status(let status, let fields): return reply(.refused(status: status), fields, sent)
        case .failure(let failure, let hasConnected, let dependsOnURL):
            throw FailedExchange(failure, hasConnected: hasConnected, dependsOnURL: dependsOnURL)
        }
    }

    private func reply(
        _ payload: OriginReply<TestBody>.Payload, _ fields: [String: String], _ sent: Timestamp
    ) -> OriginReply<TestBody> {
        OriginReply(
            payload: payload, fields: Fields(fields.map { Fields.Field($0.key, $0.value) }),
            by: Transit(requestTime: sent, responseTime: clock.now()))
    }
}

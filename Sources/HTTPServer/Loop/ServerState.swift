// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// State that the loops of one server share.
///
/// **Isolation:** immutable except for the counters, each of which is an atomic.
final class ServerState: Sendable {
    let configuration: HTTPServerConfiguration
    let handler: any RequestHandler
    let open = Atomic<Int>(0)
    let accepted = Atomic<Int>(0)
    let turnedAway = Atomic<Int>(0)
    let ofOneClient = Atomic<Int>(0)
    let withoutProxyHeader = Atomic<Int>(0)
    let timedOut = Atomic<Int>(0)
    let heldRefusals = Atomic<Int>(0)

    /// Nil if one client may open any number of connections.
    let clients: ClientCensus?

    init(_ configuration: HTTPServerConfiguration, handler: any RequestHandler) {
        self.configuration = configuration
        self.handler = handler
        clients =
            configuration.connectionsPerClient > 0
            ? ClientCensus(limit: configuration.connectionsPerClient) : nil
    }

    var counters: ConnectionCounters {
        ConnectionCounters(
            open: open.load(ordering: .relaxed), accepted: accepted.load(ordering: .relaxed),
            turnedAway: turnedAway.load(ordering: .relaxed),
            ofOneClient: ofOneClient.load(ordering: .relaxed),
            withoutProxyHeader: withoutProxyHeader.load(ordering: .relaxed),
            timedOut: timedOut.load(ordering: .relaxed), heldRefusals: heldRefusals.load(ordering: .relaxed))
    }
}

/// Totals of a server's connections, for the metrics.
package struct ConnectionCounters: Sendable, Hashable {
    /// Connections that are open now.
    package var open: Int
    /// Connections accepted since the start.
    package var accepted: Int
    /// Accepted connections that were closed at once because there were too many, or no descriptor was left.
    package var turnedAway: Int
    /// Accepted connections that were closed at once because their client had too many.
    package var ofOneClient: Int
    /// Accepted connections that were closed because no trusted proxy named the client in the PROXY protocol.
    package var withoutProxyHeader: Int
    /// Accepted connections that were closed because the client let a deadline pass, other than the idle one.
    package var timedOut: Int
    /// Refusals that were delayed, over all connections.
    package var heldRefusals: Int
}

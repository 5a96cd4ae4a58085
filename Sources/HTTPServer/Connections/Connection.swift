// SPDX-License-Identifier: Apache-2.0

internal import Clients

/// One connection, as small as possible: an idle connection has this record alone, unless the first byte of an empty line was read.
struct Connection {
    var descriptor: Int32 = -1
    /// The connection's phase and facts. Changed by `EventLoop.advance` alone.
    var state = ConnectionState()
    /// True if the connection counts for its client in `ClientCensus`.
    var isCounted = false
    /// In microseconds of `Clock`.
    var deadline = Int64.max
    /// The other end of the connection, or the client that a proxy names in the PROXY protocol.
    var peer = PeerAddress.local
    /// The state that only a busy connection needs; nil for an idle connection without unread input.
    var work: Work?
}

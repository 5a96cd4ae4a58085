// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Synchronization

/// A counter of open connections by client. Exact, and no larger than the number of open connections: about 60 bytes for each client
/// that has one.
///
/// **Isolation:** a `Mutex`, held for one look-up when a connection opens or closes.
final class ClientCensus: Sendable {
    private let limit: Int
    private let open = Mutex<[ClientKey: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// False, without counting, if the client has as many connections as it may.
    func enter(_ client: ClientKey) -> Bool {
        open.withLock { open in
            guard open[client, default: 0] < limit else { return false }
            open[client, default: 0] += 1
            return true
        }
    }

    func leave(_ client: ClientKey) {
        open.withLock { open in
            let left = open[client, default: 1] - 1
            open[client] = left > 0 ? left : nil
        }
    }
}

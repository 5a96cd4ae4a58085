// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What is asked of the network thread.
enum Order: Sendable {
    case start(Download, DownloadTicket)
    /// The ticket was settled by its caller; stop the transfer, if there is one.
    case abandon(DownloadTicket)
}

/// The way into the network thread.
///
/// **Isolation:** a `Mutex`. The multi is woken inside it, so that it is never woken after `close`.
final class Inbox: Sendable {
    private struct State {
        var orders: [Order] = []
        /// Nil when closed.
        var multi: Multi?
    }

    private let state: Mutex<State>

    init(_ multi: Multi) { state = Mutex(State(multi: multi)) }

    /// False when closed. One wake-up serves all orders that come before the thread looks.
    func post(_ order: Order) -> Bool {
        state.withLock { state in
            guard let multi = state.multi else { return false }
            state.orders.append(order)
            if state.orders.count == 1 { multi.wake() }
            return true
        }
    }

    /// The thread looks around soon.
    func wake() { state.withLock { $0.multi?.wake() } }

    /// The orders since the last call, oldest first; nil when closed.
    func take() -> [Order]? {
        state.withLock { state in
            guard state.multi != nil else { return nil }
            let orders = state.orders
            // Keeps the storage only when there was any: most turns find nothing.
            if !orders.isEmpty { state.orders = [] }
            return orders
        }
    }

    /// Accepts nothing from now on; gives back what nobody took.
    func close() -> [Order] {
        state.withLock { state in
            state.multi?.wake()
            state.multi = nil
            defer { state.orders = [] }
            return state.orders
        }
    }

    /// For the network thread, at its start.
    var multi: Multi? { state.withLock { $0.multi } }
}

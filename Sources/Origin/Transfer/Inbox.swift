// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// An order to the network thread.
enum Order: Sendable {
    case start(Download, DownloadTicket)
    /// The caller has settled the ticket; stop the transfer, if there is one.
    case abandon(DownloadTicket)
    /// Go by it from now on.
    case configuration(OriginConfiguration)
}

/// The queue of orders to the network thread.
///
/// **Isolation:** a `Mutex`. The multi is woken inside it, so that it is never woken after `close`.
final class Inbox: Sendable {
    private struct State {
        var orders: [Order] = []
        /// Nil once the inbox is closed.
        var multi: Multi?
    }

    private let state: Mutex<State>

    init(_ multi: Multi) { state = Mutex(State(multi: multi)) }

    /// False once the inbox is closed. One wake-up serves all orders that arrive before the thread takes
    /// them.
    func post(_ order: Order) -> Bool {
        state.withLock { state in
            guard let multi = state.multi else { return false }
            state.orders.append(order)
            if state.orders.count == 1 { multi.wake() }
            return true
        }
    }

    /// Makes the thread take a turn soon.
    func wake() { state.withLock { $0.multi?.wake() } }

    /// The orders since the last call, oldest first; nil once the inbox is closed.
    func take() -> [Order]? {
        state.withLock { state in
            guard state.multi != nil else { return nil }
            let orders = state.orders
            // An empty array allocates nothing, and most turns find nothing.
            if !orders.isEmpty { state.orders = [] }
            return orders
        }
    }

    /// Accepts no further orders; returns those that the thread has not taken.
    func close() -> [Order] {
        state.withLock { state in
            state.multi?.wake()
            state.multi = nil
            defer { state.orders = [] }
            return state.orders
        }
    }

    /// The multi, which the network thread fetches when it starts; nil once the inbox is closed.
    var multi: Multi? { state.withLock { $0.multi } }
}

// SPDX-License-Identifier: Apache-2.0

/// The messages that wait for the service manager, in the order in which they are sent.
///
/// At most one message of each state waits, because a watchdog and reloads would otherwise fill the memory while the manager does
/// not read. The newest one stays, in its own place: the last state that the manager reads is the present one. Other messages,
/// of which a stop has a few, all wait. Once a stop is told, a reload during the drain tells nothing, because the daemon would seem
/// to be ready again.
struct ServiceMessages: Sendable {
    private struct Message: Sendable {
        let text: String
        let state: ServiceNotifier.State?
    }

    private var waiting: [Message] = []
    /// True from the first `add` until `next` has returned nil.
    private var isSending = false
    private var isStopping = false

    /// Adds a message. Returns true if nobody sends: the caller then has to send what `next` returns, until that is nil.
    /// - Parameter state: the state that the message tells; nil for any other message.
    mutating func add(_ text: String, of state: ServiceNotifier.State?) -> Bool {
        if isStopping, state == .ready || state == .reloading { return false }
        if state == .stopping { isStopping = true }
        if let state { waiting.removeAll { $0.state == state } }
        waiting.append(Message(text: text, state: state))
        defer { isSending = true }
        return !isSending
    }

    /// Takes the next message; nil if none waits.
    mutating func next() -> String? {
        guard !waiting.isEmpty else {
            isSending = false
            return nil
        }
        // Cannot trap: a message waits.
        return waiting.removeFirst().text
    }
}

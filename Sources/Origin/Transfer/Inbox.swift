// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A command to the network thread.
enum NetworkCommand: Sendable {
    case start(Download, DownloadTicket)
    /// The ticket is settled already; stop its transfer if there is one.
    case abandon(DownloadTicket)
    /// Use this configuration from now on.
    case configuration(OriginConfiguration)
}

/// The queue of commands to the network thread.
///
/// **Isolation:** a `Mutex`. The multi is woken under the lock, so that it is never woken after `close`.
final class Inbox: Sendable {
    private struct State {
        var commands: [NetworkCommand] = []
        /// Nil once the inbox is closed.
        var multi: Multi?
    }

    private let state: Mutex<State>

    init(_ multi: Multi) { state = Mutex(State(multi: multi)) }

    /// False once the inbox is closed. The thread is woken once for all commands that arrive before it takes them.
    func post(_ command: NetworkCommand) -> Bool {
        state.withLock { state in
            guard let multi = state.multi else { return false }
            state.commands.append(command)
            if state.commands.count == 1 { multi.wake() }
            return true
        }
    }

    /// Makes the thread take a turn soon.
    func wake() { state.withLock { $0.multi?.wake() } }

    /// The commands since the last call, oldest first; nil once the inbox is closed.
    func take() -> [NetworkCommand]? {
        state.withLock { state in
            guard state.multi != nil else { return nil }
            let commands = state.commands
            // An empty array allocates nothing, and most turns find nothing.
            if !commands.isEmpty { state.commands = [] }
            return commands
        }
    }

    /// Accepts no further commands; returns those that the thread has not taken.
    func close() -> [NetworkCommand] {
        state.withLock { state in
            state.multi?.wake()
            state.multi = nil
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// The multi, which the network thread fetches when it starts; nil once the inbox is closed.
    var multi: Multi? { state.withLock { $0.multi } }
}

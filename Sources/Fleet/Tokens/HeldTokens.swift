// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The tokens of this node's leases and slots in Redis, each for one name. Redis forgets a token that is not renewed, so all
/// of them are renewed until they are given back.
///
/// **Isolation:** a `Mutex` each around the tokens and the renewal.
final class HeldTokens: Sendable {
    private let held = Mutex<[String: String]>([:])
    private let renewal = Mutex<Task<Void, Never>?>(nil)

    /// A token that nobody else has.
    static func random() -> String { String(UInt128.random(in: .min ... .max), radix: 16) }

    /// Names by tokens.
    var all: [String: String] { held.withLock { $0 } }

    /// Notes that this node holds a name by a token.
    func add(_ token: String, of name: String) { held.withLock { $0[token] = name } }

    /// - Returns: the name that the token held; nil if it holds none any more.
    func remove(_ token: String) -> String? { held.withLock { $0.removeValue(forKey: token) } }

    /// Starts to renew all tokens, three times in the time after which Redis forgets one.
    /// - Parameter work: gets names by tokens.
    func renew(within time: Duration, _ work: @escaping @Sendable ([String: String]) async -> Void) {
        let task = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: time / 3)
                guard let held = self?.all else { return }
                await work(held)
            }
        }
        renewal.withLock { $0 = task }
    }

    /// Renews no more, and gives all tokens back at once.
    /// - Parameter work: gives one token back, and the name that it held.
    func close(_ work: @escaping @Sendable (_ token: String, _ name: String) async -> Void) async {
        renewal.withLock { $0.take() }?.cancel()
        let left = held.withLock { exchange(&$0, with: [:]) }
        await withTaskGroup { group in
            for (token, name) in left { group.addTask { await work(token, name) } }
        }
    }
}

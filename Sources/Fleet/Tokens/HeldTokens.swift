// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The tokens of the leases or slots that this node holds in Redis, each for one name. Redis forgets a token that is not renewed,
/// so all tokens are renewed until they are given back.
///
/// **Isolation:** one `Mutex` guards the tokens, another the renewal.
final class HeldTokens: Sendable {
    private let held = Mutex<[String: String]>([:])
    private let renewal = Mutex<Task<Void, Never>?>(nil)

    /// A random token, which no other node has.
    static func random() -> String { String(UInt128.random(in: .min ... .max), radix: 16) }

    /// The name for each token.
    var all: [String: String] { held.withLock { $0 } }

    /// Notes that this node holds `name` by the token.
    func add(_ token: String, of name: String) { held.withLock { $0[token] = name } }

    /// - Returns: the name that the token was for; nil if this node does not hold the token.
    func remove(_ token: String) -> String? { held.withLock { $0.removeValue(forKey: token) } }

    /// Starts to renew all tokens, three times within `time`, after which Redis forgets a token.
    /// - Parameter work: renews the tokens; gets the name for each token.
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

    /// Stops renewing, and gives all tokens back at the same time.
    /// - Parameter work: gives back one token, which was for that name.
    func close(_ work: @escaping @Sendable (_ token: String, _ name: String) async -> Void) async {
        renewal.withLock { $0.take() }?.cancel()
        let left = held.withLock { exchange(&$0, with: [:]) }
        await withTaskGroup { group in
            for (token, name) in left { group.addTask { await work(token, name) } }
        }
    }
}

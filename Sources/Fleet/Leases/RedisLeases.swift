// SPDX-License-Identifier: Apache-2.0
//
// A lease is a key of Redis, {<prefix>}:lease:<name>:
//
//   value           means                                             lasts
//   =<node> <tok>   the node holds it                                 `time`; renewed three times in it
//   +<token>        done: the shared store has the result             `markerTime`
//   -<token>        done, and there is nothing for others             `markerTime`
//   none            nobody's
//
//            take                      release
//   none ─────────▶ =<node> <token> ─────────────▶ +<token>, -<token> or none
//     ▲                   │ not renewed               │
//     └───────────────────┴───────────────────────────┘

/// Leases for pieces of work, shared by all nodes of a fleet. Each command is a script that compares one key and changes it,
/// so that a node cannot give back, or renew, a lease that is another node's by now.
///
/// The lease of a node that has died ends when Redis expires the key; the nodes' clocks do not matter.
///
/// **Isolation:** immutable; the link and the held tokens guard themselves.
package final class RedisLeases: Sendable {
    /// The result of a question for a lease.
    package enum Found: Sendable, Hashable {
        /// The lease is this node's now, by this token.
        case taken(token: String)
        /// This node had the lease already.
        case own
        case held
        /// The marker, for `take(over:)`.
        case done(marker: String)
        case nothingToShare
        case unavailable
    }

    /// The marker that a node leaves in place of a lease which it gives back; the table above tells how each is written.
    package enum Marker: Sendable, Hashable {
        case done, nothingToShare, none
    }

    /// Milliseconds that a marker lasts: longer than a node takes between a look into the store and its question for the
    /// lease.
    static let markerTime = 10_000

    private static let take = RedisScript(
        """
        local v = redis.call('GET', KEYS[1])
        if v and v ~= ARGV[2] then return v end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
        return false
        """)
    private static let renew = RedisScript(
        """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        return redis.call('PEXPIRE', KEYS[1], ARGV[2])
        """)
    private static let release = RedisScript(
        """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
        redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        return 1
        """)

    private let link: RedisLink
    private let prefix: String
    private let node: String
    private let time: Duration
    private let patience: Duration
    private let tokens = HeldTokens()

    /// - Parameters:
    ///   - prefix: the beginning of all keys. It stands in braces as their hash tag, so that a Cluster keeps them in one slot.
    ///   - node: this process, without spaces; no other node may have this name.
    ///   - time: how long a lease outlives its node.
    ///   - patience: how long a question may take. Redis takes 0.1 to 1 ms; without an answer the work is done without a
    ///     lease.
    package init(link: RedisLink, prefix: String, node: String, time: Duration, patience: Duration) {
        (self.link, self.prefix, self.node, self.time) = (link, prefix, node, time)
        self.patience = patience
    }

    /// Starts to renew what is held.
    package func start() { tokens.renew(within: time) { [weak self] in await self?.renew($0) } }

    /// Leases that this node holds.
    package var count: Int { tokens.all.count }

    /// Gives all leases back, and renews no more. Waits for Redis no longer than for a question.
    package func close() async { await tokens.close { await self.send(release: $1, $0, .none) } }

    // MARK: One lease

    /// Asks for a lease once.
    /// - Parameter marker: a marker that an earlier call has returned. It is replaced by the lease, as if there were none.
    package func take(_ name: String, over marker: String?) async -> Found {
        let token = HeldTokens.random()
        do throws(RedisFailure) {
            let reply = try await link.send(
                Self.take.command(key(name), [value(token), marker ?? "", "\(time.wholeMilliseconds)"]),
                within: patience)
            guard case .text = reply, let text = reply.string else {
                guard reply == .none else { return .unavailable }
                tokens.add(token, of: name)
                return .taken(token: token)
            }
            return found(text)
        } catch {
            if error.mayBeCarriedOut { Task { await send(release: name, token, .none, within: time) } }
            return .unavailable
        }
    }

    private func found(_ text: String) -> Found {
        switch text.utf8.first {
        case UInt8(ascii: "="): Self.node(in: text) == node ? .own : .held
        case UInt8(ascii: "+"): .done(marker: text)
        case UInt8(ascii: "-"): .nothingToShare
        default: .unavailable
        }
    }

    /// Gives a lease back, and leaves a marker. Does not wait.
    package func release(_ name: String, token: String, leaving marker: Marker) {
        guard tokens.remove(token) != nil else { return }
        // Waits for a connection if there is none: other nodes wait until the lease is given back, or expires.
        Task { await send(release: name, token, marker, within: time) }
    }

    /// The node that holds the lease; nil for none, or without an answer.
    package func holder(of name: String) async -> String? {
        guard let reply = try? await link.send(["GET", key(name)], within: patience) else { return nil }
        return reply.string.flatMap(Self.node(in:))
    }

    /// - Parameter limit: how long to wait for a connection as well; nil to give up where there is none.
    private func send(
        release name: String, _ token: String, _ marker: Marker, within limit: Duration? = nil
    ) async {
        let text =
            switch marker {
            case .done: "+" + token
            case .nothingToShare: "-" + token
            case .none: ""
            }
        // Without an answer it ends by itself.
        _ = try? await link.send(
            Self.release.command(key(name), [value(token), text, "\(Self.markerTime)"]),
            within: limit ?? patience, waits: limit != nil)
    }

    private func renew(_ held: [String: String]) async {
        await withTaskGroup { group in
            for (token, name) in held {
                group.addTask {
                    // If a lease is lost, its work is done twice, which does no other harm.
                    _ = try? await self.link.send(
                        Self.renew.command(
                            self.key(name), [self.value(token), "\(self.time.wholeMilliseconds)"]),
                        within: self.patience)
                }
            }
        }
    }

    // MARK: Spelling

    private func key(_ name: String) -> String { "{\(prefix)}:lease:\(name)" }
    private func value(_ token: String) -> String { "=\(node) \(token)" }

    private static func node(in text: String) -> String? {
        guard text.hasPrefix("="), let space = text.lastIndex(of: " ") else { return nil }
        return String(text[text.index(after: text.startIndex)..<space])
    }
}

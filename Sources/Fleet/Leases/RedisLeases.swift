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

/// Leases for pieces of work, shared by all nodes of a fleet. Each command is a script that compares one key and changes it, so
/// that a node cannot give back or renew a lease that another node has taken since.
///
/// If a node dies, its lease ends when Redis expires the key; the nodes' clocks do not matter.
///
/// **Isolation:** immutable; the link and the held tokens have locks of their own.
package final class RedisLeases: Sendable {
    /// The answer to a request for a lease.
    package enum Found: Sendable, Hashable {
        /// This node has the lease now, under this token.
        case taken(token: String)
        /// This node had the lease already.
        case own
        case held
        /// The work is done. The marker is for the argument `marker` of `take`.
        case done(marker: String)
        case nothingToShare
        case unavailable
    }

    /// The marker that replaces a lease that a node gives back; the table above shows how each is spelled.
    package enum Marker: Sendable, Hashable {
        case done, nothingToShare, none
    }

    /// Milliseconds that a marker lasts: longer than a node takes between its look into the store and its request for the lease.
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
    ///   - patience: how long a request to Redis may take, usually 0.1 to 1 ms. Without an answer, the node does the work without
    ///     a lease.
    package init(link: RedisLink, prefix: String, node: String, time: Duration, patience: Duration) {
        (self.link, self.prefix, self.node, self.time) = (link, prefix, node, time)
        self.patience = patience
    }

    /// Starts to renew the leases that this node holds.
    package func start() { tokens.renew(within: time) { [weak self] in await self?.renew($0) } }

    /// The number of leases that this node holds.
    package var count: Int { tokens.all.count }

    /// Stops renewing and gives all leases back. Waits for Redis for `patience` at most.
    package func close() async { await tokens.close { await self.send(release: $1, $0, .none) } }

    // MARK: One lease

    /// Asks for a lease once.
    /// - Parameter marker: a marker that an earlier call returned. If the key still has this marker, the lease replaces it.
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

    /// Gives a lease back and leaves a marker. Returns without waiting for Redis.
    package func release(_ name: String, token: String, leaving marker: Marker) {
        guard tokens.remove(token) != nil else { return }
        // The command waits for a connection if there is none, because other nodes wait until the lease is given back or expires.
        Task { await send(release: name, token, marker, within: time) }
    }

    /// The node that holds the lease; nil if no node does, or Redis does not answer.
    package func holder(of name: String) async -> String? {
        guard let reply = try? await link.send(["GET", key(name)], within: patience) else { return nil }
        return reply.string.flatMap(Self.node(in:))
    }

    /// - Parameter limit: how long the command may take, including the wait for a connection; nil for `patience` and a failure at
    ///   once if there is no connection.
    private func send(
        release name: String, _ token: String, _ marker: Marker, within limit: Duration? = nil
    ) async {
        let text =
            switch marker {
            case .done: "+" + token
            case .nothingToShare: "-" + token
            case .none: ""
            }
        // If Redis does not answer, the lease expires.
        _ = try? await link.send(
            Self.release.command(key(name), [value(token), text, "\(Self.markerTime)"]),
            within: limit ?? patience, waits: limit != nil)
    }

    private func renew(_ held: [String: String]) async {
        await withTaskGroup { group in
            for (token, name) in held {
                group.addTask {
                    // If a lease is lost, two nodes do the same work; nothing worse happens.
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

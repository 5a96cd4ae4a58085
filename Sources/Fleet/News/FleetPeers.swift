// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a fleet are a sorted set of Redis, {<prefix>}:peers: a member for each node, its score the time at which it counts no
// more, in microseconds of Redis's own clock.

internal import Kernel
internal import Synchronization

/// Counts the other nodes of the fleet. Each node adds itself to the set in Redis, three times within the time after which a member
/// expires, and gets the number of members by the same command. A node that has ended counts until it expires. A node that comes
/// back has its former name.
///
/// **Isolation:** a `Mutex` each around what was heard and the task, held for a moment.
package final class FleetPeers: Sendable {
    /// The last answer of Redis.
    private struct Heard: Sendable {
        var others: Int
        /// Microseconds of the monotonic clock, after which it tells nothing.
        var end: Int64
    }

    /// How long a node counts that says nothing.
    package static let time: Duration = .seconds(15)

    private static let tell = RedisScript(
        onMembers: """
            redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[1] * 1000), ARGV[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[1])
            return redis.call('ZCARD', KEYS[1])
            """)

    private let link: any RedisSending
    private let key: String
    private let node: String
    private let time: Duration
    private let patience: Duration
    private let ticks: @Sendable () -> Int64
    private let heard = Mutex<Heard?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - prefix: the beginning of all keys. It stands in braces as their hash tag, so that a Cluster keeps them in one slot.
    ///   - node: no other node may have this name.
    ///   - time: how long a node counts that says nothing.
    ///   - patience: how long a command may take.
    ///   - ticks: microseconds of the monotonic clock.
    package init(
        link: any RedisSending, prefix: String, node: String, time: Duration = FleetPeers.time,
        patience: Duration,
        ticks: @escaping @Sendable () -> Int64
    ) {
        (self.link, self.node, self.time, self.patience) = (link, node, time, patience)
        self.ticks = ticks
        key = "{\(prefix)}:peers"
    }

    /// Other nodes that have told Redis of themselves of late; 0 where Redis has not answered for as long.
    package var count: Int {
        let now = ticks()
        return heard.withLock { heard in heard.map { now < $0.end ? $0.others : 0 } ?? 0 }
    }

    /// Starts to tell Redis of this node.
    func start() {
        let telling = Task { [weak self, rest = time / 3] in
            while !Task.isCancelled {
                if let peers = self { await peers.tell() } else { return }
                try? await Task.sleep(for: rest)
            }
        }
        task.withLock { $0 = telling }
    }

    /// Tells Redis no more.
    func close() { task.withLock { $0.take() }?.cancel() }

    /// Tells Redis once, and hears of the others. Without an answer the last one counts for as long as it would have.
    package func tell() async {
        let began = ticks()
        // Redis may be a program that only looks like it.
        guard
            case .number(let nodes)? = try? await link.send(
                Self.tell.command(key, ["\(time.wholeMilliseconds)", node]), within: patience, waits: true)
        else { return }
        heard.withLock {
            $0 = Heard(others: Int(clamping: max(1, nodes)) - 1, end: began + time.wholeMicroseconds)
        }
    }
}

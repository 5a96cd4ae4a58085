// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a fleet are a sorted set of Redis, {<prefix>}:peers: a member for each node, whose score is the time at which it
// stops counting, in microseconds of Redis's own clock.

internal import Kernel
internal import Synchronization

/// Counts the other nodes of the fleet. Each node adds itself to the set in Redis, three times within the time after which a member
/// expires, and gets the number of members by the same command. A node that has ended counts until its member expires. A node that
/// restarts keeps its name.
///
/// **Isolation:** a `Mutex` each guards the last answer, the name and the task; each is held for a moment.
package final class FleetPeers: Sendable {
    /// Redis's last answer.
    private struct Heard: Sendable {
        var others: Int
        /// When the answer becomes too old to use, in microseconds of the monotonic clock.
        var end: Int64
    }

    /// How long a silent node counts.
    package static let time: Duration = .seconds(15)

    private static let tell = RedisScript(
        onMembers: """
            redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[1] * 1000), ARGV[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[1])
            return redis.call('ZCARD', KEYS[1])
            """)

    private let link: any RedisSending
    private let key: String
    private let node: Mutex<String>
    private let time: Duration
    private let patience: Duration
    private let ticks: @Sendable () -> Int64
    private let heard = Mutex<Heard?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - prefix: the beginning of all keys. It stands in braces as their hash tag, so that a Cluster keeps them in one slot.
    ///   - node: no other node may have this name.
    ///   - time: how long a silent node counts.
    ///   - patience: how long a command may take.
    ///   - ticks: microseconds of the monotonic clock.
    package init(
        link: any RedisSending, prefix: String, node: String, time: Duration = FleetPeers.time,
        patience: Duration,
        ticks: @escaping @Sendable () -> Int64
    ) {
        (self.link, self.time, self.patience) = (link, time, patience)
        self.node = Mutex(node)
        self.ticks = ticks
        key = "{\(prefix)}:peers"
    }

    /// The number of other nodes that have lately told Redis of themselves; 0 if Redis has not answered for `time`.
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

    /// Tells Redis of this node by another name from now on. The former one counts until its member expires.
    package func rename(to node: String) { self.node.withLock { $0 = node } }

    /// Stops telling Redis of this node.
    func close() { task.withLock { $0.take() }?.cancel() }

    /// Tells Redis of this node once, and learns the number of nodes. If Redis does not answer, the last answer stays in use
    /// until its own end.
    package func tell() async {
        let began = ticks()
        // The server may only look like Redis, so any number is possible.
        guard
            case .number(let nodes)? = try? await link.send(
                Self.tell.command(key, ["\(time.wholeMilliseconds)", node.withLock { $0 }]), within: patience,
                waits: true)
        else { return }
        heard.withLock {
            $0 = Heard(others: Int(clamping: max(1, nodes)) - 1, end: began + time.wholeMicroseconds)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//
//   a purge of ours ──▶ outbox (disk) ──XADD──▶ {prefix}:news ──XRANGE──▶ carried out ──▶ position (disk)
//                                                     └──XREAD BLOCK: something is new

internal import Glibc
package import HTTPSemantics
package import Kernel
package import Pipeline
internal import Synchronization

/// Passes purges to every node of a fleet through a stream in Redis.
///
/// A node remembers on disk the last entry of the stream that it has carried out. It reads from that entry on. While the entry is
/// still there, nothing behind it was trimmed; if it is gone, the node does not know what it has missed, and has everything
/// confirmed that it holds. Each purge has its node's name and a number, so that a purge that is delivered twice is carried out
/// once.
///
/// **Isolation:** one task reads and one sends. Each state that they share has a `Mutex`, held for a moment. The outbox's is held
/// while its file is written, so it is taken only on a thread of its own.
package final class FleetNews: Sendable {
    /// What has become of a purge in the fleet by the time it is answered.
    package enum PurgeState: String, Sendable, Hashable {
        /// Redis has it: all nodes carry it out within a second, or before they serve again.
        case told
        /// The purge waits on disk for Redis.
        case waiting
    }

    struct Waiters {
        var confirmed: UInt64 = 0
        var list: [UInt64: CheckedContinuation<PurgeState, Never>] = [:]
    }

    struct Reading {
        var isAtEnd = false
        var waiting: [CheckedContinuation<Bool, Never>] = []
        /// When the node last had the whole stream, in microseconds of the monotonic clock.
        var lastEnd: Int64
        /// True once a failure was reported, until entries are read and Redis has waited for more without another failure.
        var isReported = false
        /// The number of purges carried out and positions written so far.
        var steps = 0
        /// The numbers of both links' connections on which the reader was last found to be at a master; nil before.
        var atMaster: [Int]?
        /// True if everything was confirmed and Redis has not answered since.
        var isConfirmed = false
        /// True while a purge is being carried out, or the position written.
        var isBusy = false
        /// True while the file is behind: a purge is not on disk, or the position could not be written.
        var isUnwritten = false
        /// True once another node was found to have this node's name, until this node has a new one.
        var isNameShared = false
        /// The name that this node had before the present one, and the highest number that it gave under that name; nil if it had
        /// none in this run. Purges of that name may still come.
        var former: (name: String, last: UInt64)?
    }

    let configuration: NewsConfiguration
    let environment: NewsEnvironment
    /// The connection for commands that do not block.
    let link: any RedisSending
    /// The connection for commands that block.
    let reader: any RedisSending
    let files: SerialThread
    let peers: FleetPeers
    let record: Mutex<NewsRecord>
    private let outbox: Mutex<NewsOutbox>
    let counters = Mutex(NewsStatistics())
    let reading: Mutex<Reading>
    let waiters = Mutex(Waiters())
    let sentPurges = Mutex(SentPurges())
    let bell = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// The largest record that is read, in bytes; far more than Pictor writes.
    private static let largestRecord = 1 << 20

    /// Reads the record and the outbox, and writes a record if there is none.
    /// - Throws: if a file exists but cannot be read, or the thread for files cannot be started.
    package init(
        _ configuration: NewsConfiguration, _ environment: NewsEnvironment, link: any RedisSending,
        reader: any RedisSending
    ) throws(NewsError) {
        self.configuration = configuration
        self.environment = environment
        self.link = link
        self.reader = reader
        var path = configuration.recordPath
        do throws(SystemError) {
            var record = NewsRecord(node: NewsRecord.randomNode())
            if let text = try StateFile.read(path, largest: Self.largestRecord),
                let read = NewsRecord(text: text)
            {
                record = read
            } else {
                // The record is written before the first purge, because purges are numbered under this node's name. If this
                // fails, writing the position will fail as well, and that is reported.
                try? StateFile.replace(path, with: record.text)
            }
            path = configuration.outboxPath
            var outbox = try NewsOutbox(path: path, node: record.node, limit: configuration.outboxLimit)
            if outbox.isDamaged {
                // If the disk does not take this order, the next start finds the damage again.
                _ = outbox.add(NewsOutbox.doubt, at: environment.now())
                environment.report(.outboxDamaged(path))
            }
            Self.beginAnew(&record, &outbox, configuration, environment)
            outbox.diskHangs = environment.diskHangs
            peers = FleetPeers(
                link: link, prefix: configuration.prefix, node: record.node,
                patience: configuration.commandTimeout, ticks: environment.ticks)
            self.record = Mutex(record)
            counters.withLock { $0.outbox = outbox.waiting.count }
            self.outbox = Mutex(outbox)
            files = try SerialThread("fleet-files")
        } catch {
            throw NewsError(path: path, error: error)
        }
        reading = Mutex(Reading(lastEnd: environment.ticks()))
    }

    /// Gives the node a new name if its purges have numbers that are too high for the present time, because its clock was ahead:
    /// other nodes treat such a purge as an unclear entry. If the new name cannot be written, the node keeps the old name and its
    /// numbers, because after a restart nodes of a former version would take lower numbers under the old name for repetitions.
    private static func beginAnew(
        _ record: inout NewsRecord, _ outbox: inout NewsOutbox, _ configuration: NewsConfiguration,
        _ environment: NewsEnvironment
    ) {
        let now = environment.now()
        guard now.isOfSetClock, outbox.isAhead(of: PurgeNews.highestNumber(at: now)) else { return }
        var renamed = record
        renamed.node = NewsRecord.randomNode()
        guard (try? StateFile.replace(configuration.recordPath, with: renamed.text)) != nil else { return }
        record = renamed
        outbox.begin(as: renamed.node)
    }

    /// Starts reading, sending, and telling the other nodes of this one.
    package func start() {
        let reader = Task { await self.read() }
        let sender = Task {
            for await _ in self.bell.stream { await self.sendAll() }
        }
        tasks.withLock { $0 = [reader, sender] }
        peers.start()
        bell.continuation.yield()
    }

    /// Ends reading, sending and telling. Purges in the outbox stay there. Blocks.
    package func close() {
        bell.continuation.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
        peers.close()
        let list = waiters.withLock { exchange(&$0.list, with: [:]) }
        for (_, continuation) in list { continuation.resume(returning: .waiting) }
        endCatchUp(isComplete: false)
        files.close()
    }

    /// Tells the other nodes of a purge that this node has carried out. Returns once Redis has the purge; or, after the command's
    /// timeout or without a connection, once the purge is on disk.
    /// - Parameter time: when the purge was ordered.
    /// - Throws: if neither Redis nor the disk has the purge, because a restart would forget it. Also if the disk hangs: the
    ///   purge is then sent once the disk answers.
    package func publish(_ order: PurgeOrder, at time: Timestamp) async throws(SystemError) -> PurgeState {
        let added = await withOutbox { $0.add(order, at: time) }
        bell.continuation.yield()
        guard let added else { throw SystemError("the disk hangs", code: EIO) }
        let (number, failure) = added
        let state = link.isUp ? await state(of: number) : .waiting
        if state == .waiting, let failure { throw failure }
        return state
    }

    /// Notes that the disk of the record and the outbox begins to hang, or answers again. Callers stop waiting for a call that
    /// hangs, so that other nodes' purges are still carried out in memory. Does not wait.
    package func diskHangs(_ hangs: Bool) {
        // Once the disk answers, the purges that came meanwhile are written, even if the folder is another one, and sent.
        if hangs { files.giveUp() } else { folderOpened() }
    }

    /// Notes that the cache's folder was opened again, and may be another one. The waiting purges are written into its outbox, and
    /// purges that wait there are sent. Does not wait.
    package func folderOpened() {
        Task {
            await withOutbox { [environment] outbox in outbox.moveIn(at: environment.now()) }
            bell.continuation.yield()
        }
    }

    /// Reads or changes the outbox on the thread for files.
    /// - Returns: nil if the disk hangs; the work is still done later.
    @discardableResult
    func withOutbox<Result: Sendable>(
        _ work: @escaping @Sendable (inout NewsOutbox) -> Result
    ) async -> Result? {
        await files.perform { [self] in
            outbox.withLock { outbox in
                let result = work(&outbox)
                counters.withLock { $0.outbox = outbox.waiting.count }
                return result
            }
        }
    }

    private func state(of number: UInt64) async -> PurgeState {
        await withCheckedContinuation { continuation in
            let isConfirmed = waiters.withLock { waiters in
                if waiters.confirmed >= number { return true }
                waiters.list[number] = continuation
                return false
            }
            if isConfirmed { return continuation.resume(returning: .told) }
            Task {
                try? await Task.sleep(for: configuration.commandTimeout)
                let waiter = waiters.withLock { $0.list.removeValue(forKey: number) }
                waiter?.resume(returning: .waiting)
            }
        }
    }

    /// The present statistics.
    package var statistics: NewsStatistics {
        var statistics = counters.withLock { $0 }
        statistics.connected = link.isUp && reader.isUp ? 1 : 0
        (statistics.connects, statistics.peers) = (link.connects + reader.connects, peers.count)
        let passed = environment.ticks() - reading.withLock { $0.lastEnd }
        statistics.lag = max(0, Int(clamping: passed / 1_000_000))
        return statistics
    }

    /// The entry up to which this node has carried out the stream; nil before it has a position.
    package var position: String? { record.withLock { $0.position?.id.text } }

    /// Pauses between two tries: 250 to 500 ms, at random.
    func rest() async {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 250...500)))
    }
}

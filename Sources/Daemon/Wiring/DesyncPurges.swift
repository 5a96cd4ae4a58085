// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Kernel
internal import Logging
internal import Origin
internal import Pipeline
internal import Platform
internal import SourceURLs
internal import Stores

/// Purges the originals whose answers came over connections out of step: with their renditions, ready
/// answers, remembered failures and everything under way.
struct DesyncPurges: Sendable {
    private let pipeline: Pipeline<Body>
    private let isShared: Bool
    /// The other nodes, which may have read an original in the shared store before it was forgotten there; nil without them.
    private let others: FleetNews?
    private let logger: Logger

    init(_ pipeline: Pipeline<Body>, isShared: Bool, _ news: FleetNews?, logger: Logger) {
        (self.pipeline, self.isShared) = (pipeline, isShared)
        others = isShared ? news : nil
        self.logger = logger
    }

    func start(_ downloader: Downloader) -> Task<Void, Never> {
        Task {
            for await desync in downloader.desyncs {
                for key in desync.forgotten where await forget(key) { downloader.unproven.remove([key]) }
                guard desync.isCertain else { continue }
                logger.warning(
                    "origin sends more than it announces: its connections serve one request each for now",
                    metadata: ["origin": "\(desync.origin)", "forgotten": "\(desync.forgotten.count)"])
            }
        }
    }

    /// Takes from the shared store what the disk has forgotten at its opening (`DiskStore.unproven`): a process that was killed may
    /// have written it to both. What stays there is told again at the next opening.
    func makeUp(for disk: DiskStore) async {
        guard isShared else { return disk.settle(disk.unproven) }
        for key in disk.unproven where await forget(key) { disk.settle([key]) }
    }

    /// False where a restart would bring it back, here or at another node.
    private func forget(_ key: OriginalKey) async -> Bool {
        let (order, time) = (PurgeOrder(.url(key)), SystemEnvironment.now())
        do {
            do throws(IndexUnreadable) { _ = try await pipeline.purge(order) } catch {
                _ = try await others?.publish(order, at: time)
                throw error
            }
            _ = try await others?.publish(order, at: time)
            return true
        } catch {
            logger.error("a doubtful picture could not be forgotten", metadata: ["cause": "\(error)"])
            return false
        }
    }
}

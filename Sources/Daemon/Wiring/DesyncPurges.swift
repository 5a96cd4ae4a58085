// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Logging
internal import Origin
internal import Pipeline
internal import SourceURLs
internal import Stores

/// Purges the originals whose answers came over connections out of step: with their renditions, ready
/// answers, remembered failures and everything under way.
enum DesyncPurges {
    static func start(_ downloader: Downloader, _ pipeline: Pipeline<Body>, logger: Logger) -> Task<
        Void, Never
    > {
        Task {
            for await desync in downloader.desyncs {
                for key in desync.forgotten where await forget(key, pipeline, logger) {
                    downloader.unproven.remove([key])
                }
                guard desync.isCertain else { continue }
                logger.warning(
                    "origin sends more than it announces: its connections serve one request each for now",
                    metadata: ["origin": "\(desync.origin)", "forgotten": "\(desync.forgotten.count)"])
            }
        }
    }

    /// Takes from the shared store what the disk has forgotten at its opening (`DiskStore.unproven`): a process that was killed may
    /// have written it to both. What stays there is told again at the next opening.
    static func makeUp(for disk: DiskStore, isShared: Bool, in pipeline: Pipeline<Body>, logger: Logger) async
    {
        guard isShared else { return disk.settle(disk.unproven) }
        for key in disk.unproven where await forget(key, pipeline, logger) { disk.settle([key]) }
    }

    /// False where a restart would bring it back.
    private static func forget(_ key: OriginalKey, _ pipeline: Pipeline<Body>, _ logger: Logger) async -> Bool
    {
        do throws(IndexUnreadable) {
            _ = try await pipeline.purge(PurgeOrder(.url(key)))
            return true
        } catch {
            logger.error("a doubtful picture could not be forgotten", metadata: ["cause": "\(error)"])
            return false
        }
    }
}

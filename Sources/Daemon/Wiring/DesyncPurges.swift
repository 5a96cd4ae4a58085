// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Logging
internal import Origin
internal import Pipeline

/// Purges the originals whose answers came over connections out of step: with their renditions, ready
/// answers, remembered failures and everything under way.
enum DesyncPurges {
    static func start(_ downloader: Downloader, _ pipeline: Pipeline<Body>, logger: Logger) -> Task<
        Void, Never
    > {
        Task {
            for await desync in downloader.desyncs {
                for key in Set(desync.forgotten) {
                    do throws(IndexUnreadable) {
                        _ = try await pipeline.purge(PurgeOrder(.url(key)))
                    } catch {
                        logger.error(
                            "a doubtful picture could not be forgotten", metadata: ["cause": "\(error)"])
                    }
                }
                guard desync.isCertain else { continue }
                logger.warning(
                    "origin sends more than it announces: its connections serve one request each for now",
                    metadata: ["origin": "\(desync.origin)", "forgotten": "\(desync.forgotten.count)"])
            }
        }
    }
}

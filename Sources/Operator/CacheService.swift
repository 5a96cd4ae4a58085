// SPDX-License-Identifier: Apache-2.0

internal import Dialects
package import Endpoints
internal import Foundation
internal import Glibc
internal import Kernel
internal import Monitoring
internal import Pipeline
internal import Platform
internal import RequestGrammar
package import Settings
package import Stores

/// How commands reach the cache: through the running daemon, or in its folder if no daemon runs.
package enum CacheService: Sendable {
    case daemon(DaemonClient)
    case folder(Folder)

    /// A cache folder that this process has opened and so locked.
    package final class Folder: Sendable {
        let diskCache: DiskCache
        /// The store in the folder.
        package let disk: DiskStore
        fileprivate let settings: Settings
        private let owner: FolderOwner?

        /// Nil if the folder cannot be read.
        fileprivate init?(_ diskCache: DiskCache, in folder: String, by settings: Settings) {
            guard let disk = diskCache.store else { return nil }
            self.settings = settings
            self.diskCache = diskCache
            self.disk = disk
            owner = FolderOwner(folder)
        }

        deinit {
            diskCache.close()
            owner?.giveBack()
        }
    }

    /// Tries each admin listener in turn, and opens the folder of `disk` if none answers.
    /// - Parameter patience: how many seconds a listener may be silent. A hung daemon still accepts connections, so silence must
    ///   be limited.
    /// - Throws: `CommandFailure` if there is no cache, or a daemon holds it without answering.
    package static func open(
        _ settings: Settings, disk: DiskConfiguration, patience: Int = 10
    ) throws -> CacheService {
        let secret = try settings.adminSecret
        var silence: SystemError?
        for address in settings.adminAddresses {
            do throws(SystemError) {
                _ = try DaemonClient([address], timeout: patience).send("GET", "/health/live")
                // In seconds: a purge of a million pictures takes minutes.
                return .daemon(DaemonClient([address], secret: secret, timeout: 1_800))
            } catch {
                silence = error
            }
        }
        return .folder(try folder(settings, disk, silence: silence))
    }

    private static func folder(
        _ settings: Settings, _ disk: DiskConfiguration, silence: SystemError?
    ) throws -> Folder {
        var configuration = disk
        guard FileManager.default.fileExists(atPath: configuration.folder + "/index.sqlite") else {
            let daemon = silence.map { " and no daemon answers (\($0))" } ?? ""
            throw CommandFailure("There is no cache in \(configuration.folder)\(daemon).")
        }
        // No pauses are needed, because no requests compete with the command.
        configuration.sweepPause = 0
        // Closing may take any time, because the command waits until everything is written.
        configuration.longestClose = .max
        // The cache is opened but not started, because a background sweep would interfere with the command.
        let diskCache: DiskCache
        do throws(DiskStoreError) {
            diskCache = try DiskCache(configuration) {
                SystemEnvironment.now()
            } report: { _ in
            }
        } catch {
            guard case .inUse(let folder) = error else { throw error }
            let reason = silence.map { "\($0)" } ?? "admin.listen is empty"
            throw CommandFailure(
                "A daemon has \(folder) open, and its admin listener does not answer: \(reason)."
            )
        }
        guard let folder = Folder(diskCache, in: configuration.folder, by: settings) else {
            throw CommandFailure("\(configuration.folder): \(diskCache.health.words ?? "unusable").")
        }
        return folder
    }

    // MARK: Orders

    /// Purges originals with everything made of them, or counts them for a dry run.
    /// - Throws: if the order is malformed, or cannot be carried out.
    package func purge(_ body: PurgeBody) throws -> PurgeReport {
        switch self {
        case .daemon(let client):
            return try client.send("POST", "/admin/purge", body: ControlJSON.text(body)).report()
        case .folder(let folder):
            let order = try body.order(by: SourceNames(folder.settings))
            var result = PurgeResult()
            if body.dryRun ?? false {
                let found = try folder.disk.countOriginals(order)
                result.originals = found.count
                result.renditions = try folder.disk.countRenditions(order, of: found)
            } else {
                let purged = try folder.disk.purgeOriginals(order)
                result.originals = purged.count
                result.renditions = try folder.disk.purgeRenditions(order, of: purged)
                if let failure = purged.failure { throw failure }
                if folder.settings.sharesPictures { throw Self.purgedHereAlone }
            }
            return PurgeReport(result, isSoft: order.isSoft)
        }
    }

    private static let purgedHereAlone = CommandFailure(
        "Only this folder is purged, because no daemon runs: other nodes keep what the order names, and the shared store would give it back. Give the order again once a daemon runs."
    )

    /// Statistics of the cache, and of the daemon if one runs.
    /// - Throws: if the daemon gives no usable answer.
    package func statistics() throws -> StatisticsReport {
        switch self {
        case .daemon(let client): try client.send("GET", "/admin/stats").report()
        case .folder(let folder): StatisticsReport(disk: folder.diskCache, indexBytes: folder.disk.indexBytes)
        }
    }

    /// One page of the originals in the cache.
    /// - Throws: if the index or the daemon's answer cannot be read.
    package func list(_ query: ListQuery) throws -> ListReport {
        switch self {
        case .daemon(let client): try client.send("GET", query.target).report()
        case .folder(let folder): try query.run(on: folder.disk)
        }
    }

    /// Runs a task to its end; calls `tell` now and then, and at the end.
    /// - Throws: if the daemon refuses the task, or has no disk cache to do it on.
    package func run(_ task: MaintenanceTask, _ tell: (MaintenanceReport) -> Void) throws -> MaintenanceReport
    {
        switch self {
        case .folder(let folder): return task.run(on: folder.disk, tell)
        case .daemon(let client):
            var report: MaintenanceReport = try client.send("POST", "/admin/\(task.rawValue)").report()
            while report.state == .running {
                tell(report)
                usleep(200_000)
                report = try client.send("GET", "/admin/\(task.rawValue)").report()
            }
            guard report.verify != nil || report.gc != nil else {
                throw CommandFailure(
                    "Nothing was looked at: the daemon has no cache on disk at present, or was started anew meanwhile."
                )
            }
            tell(report)
            return report
        }
    }

    /// The daemon's explanation, unchanged. Only a running daemon can give one.
    ///
    /// - Parameters:
    ///   - query: the query of a request of `/img`, without the question mark.
    ///   - accept: the value of `Accept`.
    /// - Throws: without a running daemon, or if it refuses.
    package func explain(query: String, accept: String) throws -> String {
        guard case .daemon(let client) = self else {
            throw CommandFailure("Only a running daemon can explain what it would do.")
        }
        let fields = accept.isEmpty ? "" : "Accept: \(accept.filter { !$0.isNewline })\r\n"
        let reply = try client.send("GET", "/admin/explain?\(query)", fields: fields)
        try reply.check()
        return reply.body
    }
}

extension Settings {
    /// True if other nodes may have what this node has fetched and made.
    fileprivate var sharesPictures: Bool { !sharedStore.bucket.isEmpty || !fleet.redis.isEmpty }
}

extension ListQuery {
    fileprivate var target: String {
        let parameters = [("host", host ?? ""), ("after", after), ("limit", "\(count)")]
        let query = parameters.filter { !$0.1.isEmpty }.map { "\($0.0)=\(QueryText.escape(name: $0.1))" }
        return "/admin/list?" + query.joined(separator: "&")
    }
}

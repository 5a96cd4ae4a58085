// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Kernel
internal import Logging
internal import Monitoring
internal import Pipeline
internal import Platform
internal import Settings
internal import Stores

/// The connections to the fleet's Redis.
struct FleetLevel: Sendable {
    /// The connection for commands that do not block, shared by all parts of the daemon.
    let link: RedisLink
    /// The connection for commands that block until there is news.
    private let reader: RedisLink
    /// Nil if each node applies all limits on its own.
    let limits: FleetLimits?

    /// Nil without a fleet. Begins to connect.
    /// - Throws: if a setting is unusable, or a thread cannot be started; not if Redis cannot be reached.
    init?(_ settings: Settings, _ authorities: CertificateAuthorities?, logger: Logger) throws {
        guard let configuration = try settings.redisConfiguration(authorities) else { return nil }
        link = try RedisLink(configuration, name: "fleet") { $0.log(to: logger) }
        // No events are reported, because `link` connects to the same Redis and reports that it is away.
        reader = try RedisLink(configuration, name: "fleet-news") { _ in }
        limits = try FleetLimits(settings, authorities)
        try link.start()
        try reader.start()
    }

    /// The news of purges among the nodes. The caller starts it.
    /// - Throws: if its files cannot be read or written.
    func news(
        _ settings: Settings, _ pipeline: Pipeline<Body>, _ disk: DiskCache, _ shared: SharedStore?,
        logger: Logger
    ) throws(NewsError) -> FleetNews {
        var configuration = NewsConfiguration(folder: settings.cacheFolder)
        configuration.prefix = settings.fleet.prefix
        configuration.streamLength = settings.fleet.streamLength
        configuration.commandTimeout = settings.fleet.commandTimeout
        configuration.readsAll = !settings.sharedStore.bucket.isEmpty
        let environment = SystemEnvironment()
        var news = NewsEnvironment(
            now: { environment.now() }, ticks: { environment.ticks() },
            // The disk must be good, because a disk that is away may come back with its former contents.
            isEmpty: { disk.health == .good && disk.statistics.originals == 0 },
            apply: { order throws(IndexUnreadable) in _ = try await pipeline.purge(order) },
            settles: {
                guard await disk.performOrder({ $0.settles() }) ?? false else { return false }
                return await shared?.settles() ?? true
            },
            report: { $0.log(to: logger) })
        news.diskHangs = { disk.hangs }
        news.isInPlace = { disk.isInPlace }
        let fleetNews = try FleetNews(configuration, news, link: link, reader: reader)
        disk.followHangs { [weak fleetNews] in fleetNews?.diskHangs($0) }
        return fleetNews
    }

    /// Ends the connections. Blocks.
    func close() {
        limits?.close()
        link.close()
        reader.close()
    }
}

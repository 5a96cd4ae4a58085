// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Endpoints
internal import Fleet
internal import HTTPServer
internal import Kernel
internal import Monitoring
internal import Pipeline
internal import Settings
internal import Stores

/// The objects behind the admin listener's routes. They live as long as the daemon; a reload only makes a new endpoint.
struct Administration: Sendable {
    let adapters: Adapters
    let pipeline: Pipeline<Body>
    let readiness: ReadinessCheck
    /// Nil without a fleet.
    let news: FleetNews?
    let live: LiveRoutes
    let warmer: Warmer
    let orders: OrderLog
    /// Runs a reload; set once the daemon can do that.
    let reload = DeferredReload()

    /// Nil if the settings name no admin listener.
    func server(_ settings: Settings, _ rules: PublicRules) throws -> HTTPServer? {
        guard let configuration = try settings.adminServerConfiguration else { return nil }
        return HTTPServer(configuration, handler: try endpoint(settings, rules))
    }

    func endpoint(_ settings: Settings, _ rules: PublicRules) throws -> AdminEndpoint {
        let cache = CacheRoutes(
            pipeline: pipeline, disk: adapters.disk, answerCache: adapters.answerCache,
            downloader: adapters.downloader, maintenance: live.maintenance, names: rules.dialects.names,
            news: news)
        let explain = ExplainRoute(
            pipeline: pipeline, disk: adapters.disk, downloader: adapters.downloader, rules: rules,
            clientRule: try settings.clientRule)
        let drain = DrainRoute(drain: Application.drain)
        let access = AdminAccess(token: AdminToken(try settings.adminSecret), hosts: try settings.adminHosts)
        let routes =
            HealthRoutes(gauges: live.monitor.gauges, probes: ProbeAnswers(readiness), access: access).routes
            + cache.routes + explain.routes + live.routes
            + drain.routes + ReloadRoute(reload: reload.run).routes
            + WarmRoute(warmer: warmer, rules: rules).routes
        let dashboard = settings.admin.dashboard ? DashboardRoutes().routes : []
        return AdminEndpoint(routes + dashboard, access: access, orders: orders)
    }
}

extension LiveRoutes {
    /// The daemon's uptime counts from here.
    init(_ settings: Settings, _ gauges: Gauges, _ disk: DiskCache) {
        self.init(
            monitor: LiveMonitor(gauges: gauges),
            facts: LiveReport.Facts(
                version: Version.current, memory: settings.memoryShares.cache,
                disk: settings.cache.disk.bytes, began: LiveRoutes.second),
            maintenance: Maintenance(disk: disk))
    }
}

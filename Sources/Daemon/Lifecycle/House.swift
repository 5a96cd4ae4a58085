// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import DecoderPool
internal import Endpoints
internal import Foundation
internal import HTTPServer
internal import Kernel
internal import Logging
internal import Monitoring
internal import Origin
internal import Pipeline
internal import Platform
internal import Settings
internal import Signatures
internal import Stores
internal import Telemetry

/// Every room of a running daemon, opened in the order in which they need one another.
struct House: Sendable {
    let disk: DiskKeeper
    let downloader: Downloader
    let pool: DecoderPool
    let inspectors: InspectorPool
    let shortcuts: ShortcutTable
    let pipeline: Pipeline<Body>
    let journal: Journal
    let publicServer: HTTPServer
    let adminServer: HTTPServer?

    /// Opens everything and serves. What was opened before a failure ends with the process.
    static func open(_ settings: Settings, logger: Logger, log: LogStream) async throws -> House {
        let shortcuts = ShortcutTable(
            budget: settings.memoryShares.cache, openFiles: settings.cache.openFiles)
        let disk = try DiskKeeper(settings.diskConfiguration) {
            SystemEnvironment.now()
        } report: { event in
            event.log(to: logger)
        } released: { files in
            shortcuts.release(files)
        }
        let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor = { () throws(SystemError) in
            try disk.makeFile()
        }
        let originConfiguration = try settings.originConfiguration
        if !originConfiguration.policy.knowsInside { NameSearch.turnOff() }
        let downloader = Downloader(originConfiguration, makeFile: makeFile) {
            SystemEnvironment.now()
        }
        try downloader.start()
        async let starting = startInspectors(settings, logger: logger)
        let (pool, engine) = try await startDecoders(settings, logger: logger)
        let inspectors = try await starting

        let journal = Journal(
            metrics: Metrics(build: BuildInfo(version: Version.current, libvips: engine)),
            accessLog: settings.log.access ? try .standardOutput(settings.log, logger: logger) : nil,
            format: settings.log.format == .json ? .json : .logfmt)
        let configuration = try settings.pipelineConfiguration(engine: engine)
        let pipeline = Pipeline<Body>(
            origin: CurlOrigin(
                downloader: downloader,
                unpacker: ContentUnpacker(
                    inspectors: inspectors, limit: originConfiguration.bodyLimit, makeFile: makeFile),
                metrics: journal.metrics),
            shelf: Shelves(near: shortcuts, far: disk),
            decoder: ProcessDecoder(
                pool: pool, inspectors: inspectors, timeout: settings.decoder.timeout,
                outputLimit: settings.decoder.maximumOutput.bytes,
                pixelLimit: configuration.pictures.outputPixels,
                makeFile: makeFile, metrics: journal.metrics),
            environment: SystemEnvironment(), configuration: configuration,
            watermarks: try await settings.watermarks(inspectedBy: inspectors)
        ) { event in
            event.log(to: logger)
        }

        let (token, lifetimes) = (AdminToken(try settings.adminSecret), settings.clientLifetimes)
        let rules = try settings.doorRules
        let front = FrontDoor(
            pipeline: pipeline, shortcuts: shortcuts, journal: journal, rules: rules,
            signatures: try settings.signatureRule, lifetimes: lifetimes, token: token,
            limits: ClientLimits(settings.limits, metrics: journal.metrics),
            clientPrefix: settings.limits.ipv6Prefix)
        let publicServer = HTTPServer(try settings.publicServerConfiguration, handler: front)

        var adminServer: HTTPServer?
        if let configuration = try settings.adminServerConfiguration {
            let gauges = Gauges(
                server: publicServer, pipeline: pipeline, pool: pool, inspectors: inspectors,
                downloader: downloader, shortcuts: shortcuts, disk: disk, journal: journal, log: log)
            let cache = CacheRoutes(
                pipeline: pipeline, disk: disk, shortcuts: shortcuts, downloader: downloader,
                housekeeping: Housekeeping(disk: disk))
            let explain = ExplainRoute(
                pipeline: pipeline, disk: disk, rules: rules, lifetimes: lifetimes,
                clientRule: try settings.clientRule, clientPrefix: settings.limits.ipv6Prefix)
            let drain = DrainRoute(drain: Application.drain)
            let routes = HealthRoutes(gauges: gauges).routes + cache.routes + explain.routes + drain.routes
            adminServer = HTTPServer(
                configuration,
                handler: AdminDoor(routes, access: AdminAccess(token: token, hosts: try settings.adminHosts)))
        }
        try adminServer?.start(opened: downloader.ownListeners.add)
        try publicServer.start(opened: downloader.ownListeners.add)
        try disk.start()
        return House(
            disk: disk, downloader: downloader, pool: pool, inspectors: inspectors, shortcuts: shortcuts,
            pipeline: pipeline, journal: journal, publicServer: publicServer, adminServer: adminServer)
    }

    private static func startDecoders(
        _ settings: Settings, logger: Logger
    ) async throws(StartupFailure) -> (pool: DecoderPool, engine: String) {
        do throws(DecoderFailure) {
            let (pool, hello) = try await DecoderPool.start(settings.poolSettings) { $0.log(to: logger) }
            hello.logJail(of: "decoder", to: logger)
            return (pool, hello.engine)
        } catch {
            throw StartupFailure(starting: "decoder", error)
        }
    }

    private static func startInspectors(
        _ settings: Settings, logger: Logger
    ) async throws(StartupFailure) -> InspectorPool {
        do throws(DecoderFailure) {
            let (pool, hello) = try await InspectorPool.start(settings.inspectorSettings) {
                $0.log(of: "inspector", to: logger)
            }
            hello.logJail(of: "inspector", to: logger)
            return pool
        } catch {
            throw StartupFailure(starting: "inspector", error)
        }
    }

    /// In the order of opening; they are taken from the end. The admin listener outlives the public one, so that a
    /// drain can be watched.
    func shutdownSteps(drainTimeout: Duration) -> [ShutdownStep] {
        [
            ShutdownStep("cache") { [disk] in await Self.onThread { disk.close() } },
            ShutdownStep("access-log") { [journal] in await Self.onThread { journal.accessLog?.close() } },
            ShutdownStep("downloader") { [downloader] in await Self.onThread { downloader.shutdown() } },
            ShutdownStep("decoders") { [pool] in await pool.shutDown() },
            ShutdownStep("inspectors") { [inspectors] in await inspectors.shutDown() },
            ShutdownStep("admin") { [adminServer] in
                // Whoever gave the order to drain gets an answer.
                await adminServer?.drain(within: .seconds(1))
            },
            ShutdownStep("public") { [publicServer] in
                ServiceNotifier.tell(.stopping)
                await publicServer.drain(within: drainTimeout)
            },
        ]
    }

    /// For calls that wait, which Swift's own threads must not.
    private static func onThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                work()
                continuation.resume()
            }
        }
    }
}

extension OwnListeners {
    fileprivate func add(_ addresses: [ListenAddress]) {
        for case .tcp(let host, let port) in addresses { add(host: host, port: port) }
    }
}

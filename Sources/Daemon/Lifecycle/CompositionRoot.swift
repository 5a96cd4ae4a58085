// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Answers
internal import DecoderPool
internal import Endpoints
internal import Fleet
internal import HTTPSemantics
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
internal import TraceExport

/// The composition root: the objects of a running daemon, made in the order of their dependencies.
struct CompositionRoot: Sendable {
    let adapters: Adapters
    let pipeline: Pipeline<Body>
    let recorder: RequestRecorder
    let publicServer: HTTPServer
    let adminServer: HTTPServer?
    let live: LiveRoutes
    /// Reloads; set once the daemon can.
    let reload: DeferredReload
    let readiness: ReadinessCheck
    let warmer: Warmer
    let drainTimes: DrainTimes
    /// Nil without a fleet.
    let news: FleetNews?
    let formerRules: FormerRules
    let orders: OrderLog

    /// Opens everything and serves. After a failure, the objects opened so far end with the process.
    static func open(_ settings: Settings, logger: Logger, log: LogStream) async throws -> CompositionRoot {
        let adapters = try await Adapters.open(settings, logger: logger)
        let recorder = try requestRecorder(settings, adapters, logger: logger)
        let pipeline = try await pipeline(settings, adapters, recorder, logger: logger)
        adapters.engine.follow { [weak pipeline, metrics = recorder.metrics] name in
            metrics.build.replace(libvips: name)
            pipeline?.adopt(library: name)
        }
        let formerRules = FormerRules(folder: settings.cacheFolder, logger: logger)
        let originRules = OriginRules(try settings.originConfiguration)
        await formerRules.note(originRules)
        await formerRules.doubt(by: originRules, in: pipeline)
        let news = try adapters.fleet?.news(
            settings, pipeline, adapters.disk, adapters.shared?.store, logger: logger)
        adapters.disk.confirmOpened { [shared = adapters.shared?.store, weak news] in
            shared?.folderOpened()
            news?.folderOpened()
            return formerRules.doubtOpened()
        }
        news?.start()
        let readiness = ReadinessCheck(
            pool: adapters.decoders, inspectors: adapters.inspectors, downloader: adapters.downloader,
            disk: adapters.disk)
        let rules = try publicRules(settings, adapters, recorder.metrics, readiness)
        let publicServer = try publicServer(settings, adapters, pipeline, recorder, rules)
        let gauges = Gauges(
            server: publicServer, pipeline: pipeline, pool: adapters.decoders,
            inspectors: adapters.inspectors, downloader: adapters.downloader,
            answerCache: adapters.answerCache, disk: adapters.disk, shared: adapters.shared?.store,
            news: news, fleetClients: adapters.fleet?.limits?.clients?.counters,
            recorder: recorder, log: log,
            readiness: readiness,
            limits: ResourceLimits(
                connections: OpenFiles(settings).connections(settings), decoders: settings.decoders,
                memoryBytes: settings.memoryShares.cache,
                diskBytes: settings.cache.disk.bytes))
        let maintenance = Maintenance(disk: adapters.disk)
        let live = LiveRoutes(
            monitor: LiveMonitor(gauges: gauges),
            facts: LiveReport.Facts(
                version: Version.current, memory: settings.memoryShares.cache,
                disk: settings.cache.disk.bytes, began: LiveRoutes.second),
            maintenance: maintenance)
        let reload = DeferredReload()
        let warmer = Warmer(pipeline)
        let orders = OrderLog(logger)
        let adminServer = try adminServer(
            settings, adapters, pipeline, rules, live, reload, readiness, warmer, news, orders)
        try adminServer?.start(opened: adapters.downloader.ownListeners.add)
        // Before anything is served that other nodes have purged.
        _ = await news?.catchUp(within: settings.fleet.catchUpTimeout)
        readiness.begin()
        try publicServer.start(opened: adapters.downloader.ownListeners.add)
        try adapters.disk.start()
        return CompositionRoot(
            adapters: adapters, pipeline: pipeline, recorder: recorder, publicServer: publicServer,
            adminServer: adminServer, live: live, reload: reload, readiness: readiness,
            warmer: warmer, drainTimes: DrainTimes(settings.server), news: news, formerRules: formerRules,
            orders: orders)
    }

    private static func requestRecorder(
        _ settings: Settings, _ adapters: Adapters, logger: Logger
    ) throws -> RequestRecorder {
        RequestRecorder(
            metrics: Metrics(
                build: BuildInfo(version: Version.current, libvips: adapters.engine.name),
                codes: ErrorCode.all),
            accessLog: AccessLog(settings, stream: try .standardOutput(settings.log, logger: logger)),
            traces: try settings.requestTraces(adapters.authorities, logger: logger))
    }

    private static func pipeline(
        _ settings: Settings, _ adapters: Adapters, _ recorder: RequestRecorder, logger: Logger
    ) async throws -> Pipeline<Body> {
        let configuration = try settings.pipelineConfiguration(engine: adapters.engine.name)
        let hasSamples = settings.hasPlayground(on: try settings.publicServerConfiguration.listeners)
        let unpacker = ContentUnpacker(
            inspectors: adapters.inspectors,
            // The inspectors' jail has that of the start.
            limit: { [downloader = adapters.downloader, most = settings.origin.maximumBody.bytes] in
                min(downloader.bodyLimit, most)
            },
            makeFile: adapters.makeFile)
        let network = OriginAdapter(
            downloader: adapters.downloader, files: adapters.files, unpacker: unpacker,
            metrics: recorder.metrics,
            log: FetchLog(logger), topOrigins: recorder.origins, traces: recorder.traces)
        return Pipeline<Body>(
            PipelinePorts(
                origin: hasSamples ? SampleOrigin(next: network) as any OriginPort<Body> : network,
                cache: CacheAdapter(
                    memory: adapters.answerCache, disk: adapters.disk, shared: adapters.shared?.store),
                decoder: DecoderAdapter(
                    pool: adapters.decoders, inspectors: adapters.inspectors,
                    outputLimit: settings.decoder.maximumOutput.bytes,
                    pixelLimit: configuration.pictures.outputPixels, makeFile: adapters.makeFile,
                    held: adapters.disk.held, metrics: recorder.metrics, logger: logger),
                leases: adapters.shared?.leases,
                originLimits: adapters.fleet?.limits?.origins, environment: SystemEnvironment()),
            configuration: configuration,
            watermarks: try await settings.watermarks(inspectedBy: adapters.inspectors),
            fallback: try await settings.fallbackPicture(inspectedBy: adapters.inspectors)
        ) { event in
            event.log(to: logger)
        }
    }

    private static func publicRules(
        _ settings: Settings, _ adapters: Adapters, _ metrics: Metrics, _ readiness: ReadinessCheck
    ) throws -> PublicRules {
        var rules = PublicRules(
            dialects: try Dialects(settings), referers: try settings.refererRule,
            crossOrigin: try CrossOriginRule(settings.cors), signatures: try settings.signatureRule,
            lifetimes: settings.clientLifetimes, token: AdminToken(try settings.adminSecret),
            limits: ClientLimits(
                settings.limits, metrics: metrics, fleet: adapters.fleet?.limits?.clients),
            clientPrefix: settings.limits.ipv6Prefix)
        rules.fallback = settings.fallbackPolicy
        rules.passedFields = PassedFieldRules(try settings.originProfiles)
        if settings.server.probes { rules.probes = ProbeAnswers(readiness) }
        if settings.hasPlayground(on: try settings.publicServerConfiguration.listeners) {
            rules.playground = Playground(
                dialects: rules.dialects, signatures: rules.signatures, token: rules.token,
                version: Version.current)
        }
        return rules
    }

    private static func publicServer(
        _ settings: Settings, _ adapters: Adapters, _ pipeline: Pipeline<Body>, _ recorder: RequestRecorder,
        _ rules: PublicRules
    ) throws -> HTTPServer {
        let endpoint = PublicEndpoint(
            pipeline: pipeline, answerCache: adapters.answerCache, recorder: recorder, rules: rules)
        return HTTPServer(try settings.publicServerConfiguration, handler: endpoint)
    }

    /// Nil if the settings name no admin listener.
    private static func adminServer(
        _ settings: Settings, _ adapters: Adapters, _ pipeline: Pipeline<Body>, _ rules: PublicRules,
        _ live: LiveRoutes, _ reload: DeferredReload, _ readiness: ReadinessCheck, _ warmer: Warmer,
        _ news: FleetNews?, _ orders: OrderLog
    ) throws -> HTTPServer? {
        guard let configuration = try settings.adminServerConfiguration else { return nil }
        let endpoint = try adminEndpoint(
            settings, adapters, pipeline, rules, live, reload, readiness, warmer, news, orders)
        return HTTPServer(configuration, handler: endpoint)
    }

    private static func adminEndpoint(
        _ settings: Settings, _ adapters: Adapters, _ pipeline: Pipeline<Body>, _ rules: PublicRules,
        _ live: LiveRoutes, _ reload: DeferredReload, _ readiness: ReadinessCheck, _ warmer: Warmer,
        _ news: FleetNews?, _ orders: OrderLog
    ) throws -> AdminEndpoint {
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

    /// Takes the settings into force that can change while the daemon runs. All that can fail comes first.
    func take(_ settings: Settings) async throws {
        let configuration = try settings.pipelineConfiguration(engine: adapters.engine.name)
        var origins = try settings.originConfiguration
        // Read anew: the files may have changed although the setting has not.
        origins.authorities = try settings.certificateAuthorities?.bundle
        if try settings.signsOriginalsByPlatform { origins.store?.renewed = adapters.keys.credentials }
        let (publicOnes, adminOnes) = (
            try settings.publicServerConfiguration, try settings.adminServerConfiguration
        )
        let folders = try settings.fileConfiguration
        var rules = try Self.publicRules(settings, adapters, recorder.metrics, readiness)
        let watermarks = try await settings.watermarks(inspectedBy: adapters.inspectors)
        let fallback = try await settings.fallbackPicture(inspectedBy: adapters.inspectors)
        let admin = try Self.adminEndpoint(
            settings, adapters, pipeline, rules, live, reload, readiness, warmer, news, orders)
        try await adapters.keys.serve(settings, origins.authorities)
        OpenFiles(settings).keepReserve()
        recorder.accessLog.replace(with: settings)
        recorder.traces?.replace(hiding: settings.secretParameters, settings.samplingRule)
        drainTimes.replace(with: settings.server)
        // Before the pipeline, which may admit more then.
        adapters.downloader.replaceConfiguration(with: origins)
        adapters.files.replaceConfiguration(with: folders)
        pipeline.replace(configuration, watermarks: watermarks, fallback: fallback)
        adapters.answerCache.beginEpoch()
        // By the old ones was answered whatever was answered until now, in this second of HTTP's dates as well.
        rules.since = Timestamp(seconds: SystemEnvironment.now().seconds + 1)
        await publicServer.replace(
            handler: PublicEndpoint(
                pipeline: pipeline, answerCache: adapters.answerCache, recorder: recorder, rules: rules),
            configuration: publicOnes)
        await adminServer?.replace(handler: admin, configuration: adminOnes)
        // The token may be another: who has the new one comes again.
        live.monitor.broadcast.dismiss()
    }

    /// The steps in the order of opening; a shutdown takes them from the last to the first. The admin
    /// listener outlives the public one, so that operators can watch the drain.
    ///
    /// Each has a time at most: the disk may hang, and the service manager is told how long to wait.
    func shutdownSteps() -> [ShutdownStep] {
        [
            // It limits itself.
            ShutdownStep("cache", atMost: adapters.disk.longestClose) { [disk = adapters.disk] in
                await onOwnThread { disk.close() }
            },
            // Before the disk cache, whose files wait to be written. It writes what waits for 2 s.
            .blocking("shared-store", atMost: .seconds(5)) { [shared = adapters.shared] in shared?.close() },
            .blocking("fleet", atMost: .seconds(3)) { [news, fleet = adapters.fleet] in
                news?.close()
                fleet?.close()
            },
            // Both write what waits, for 1 s and 2 s.
            .blocking("access-log", atMost: .seconds(3)) { [recorder] in recorder.accessLog.stream.close() },
            .blocking("traces", atMost: .seconds(3)) { [recorder] in recorder.traces?.exporter.close() },
            ShutdownStep("keys") { [keys = adapters.keys] in keys.close() },
            ShutdownStep("files") { [files = adapters.files] in files.shutdown() },
            .blocking("downloader", atMost: .seconds(3)) { [downloader = adapters.downloader] in
                downloader.shutdown()
            },
            // Both kinds at once: they come of one zygote, and whoever waits for it there waits until its pool is told.
            ShutdownStep("workers", atMost: .seconds(10)) {
                [decoders = adapters.decoders, inspectors = adapters.inspectors] in
                async let rest: Void = inspectors.shutDown()
                await decoders.shutDown()
                await rest
            },
            ShutdownStep("admin", atMost: .seconds(1)) { [adminServer] in
                // The request for the drain gets its answer.
                await adminServer?.drain(within: .seconds(1))
            },
            ShutdownStep("public", atMost: drainTimes.longest) {
                [publicServer, readiness, drainTimes, pipeline] in
                readiness.leave()
                let (delay, timeout) = drainTimes.now
                try? await Task.sleep(for: delay)
                pipeline.endLaterWork()
                await publicServer.drain(within: timeout)
            },
        ]
    }
}

extension OwnListeners {
    fileprivate func add(_ addresses: [ListenAddress]) {
        for case .tcp(let host, let port) in addresses { add(host: host, port: port) }
    }
}

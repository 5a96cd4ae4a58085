// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import DecoderPool
internal import Dialects
internal import Endpoints
internal import Fleet
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

/// Makes the objects of a running daemon in the order of their dependencies (composition root).
struct CompositionRoot: Sendable {
    let adapters: Adapters
    let pipeline: Pipeline<Body>
    let recorder: RequestRecorder
    let publicServer: HTTPServer
    let adminServer: HTTPServer?
    let administration: Administration
    let readiness: ReadinessCheck
    let drainTimes: DrainTimes
    /// Nil without a fleet.
    let news: FleetNews?
    let formerRules: FormerRules
    let desyncPurges: DesyncPurges

    /// Opens everything and serves. If it throws, the objects opened so far end with the process.
    static func open(
        _ settings: Settings, logger: Logger, log: LogStream, _ signals: StartSignals
    ) async throws -> CompositionRoot {
        let adapters = try await Adapters.open(settings, logger: logger)
        let recorder = try requestRecorder(settings, adapters, logger: logger)
        let pipeline = try await pipeline(settings, adapters, recorder, logger: logger)
        adapters.engine.follow { [weak pipeline, metrics = recorder.metrics] name in
            metrics.build.replace(libvips: name)
            pipeline?.adopt(library: name)
        }
        let formerRules = try await formerRules(settings, pipeline, logger: logger)
        let news = try news(settings, adapters, pipeline, formerRules, logger: logger)
        let readiness = ReadinessCheck(
            pool: adapters.decoders, inspectors: adapters.inspectors, downloader: adapters.downloader,
            disk: adapters.disk)
        let rules = try publicRules(settings, adapters, recorder.metrics, readiness)
        let publicServer = try publicServer(settings, adapters, pipeline, recorder, rules)
        let gauges = gauges(
            settings, adapters, pipeline, publicServer, recorder, readiness, news, log)
        let administration = Administration(
            adapters: adapters, pipeline: pipeline, readiness: readiness, news: news,
            live: LiveRoutes(settings, gauges, adapters.disk), warmer: Warmer(pipeline),
            orders: OrderLog(logger))
        let adminServer = try administration.server(settings, rules)
        // This removes its Unix sockets.
        signals.close { await adminServer?.drain(within: .zero) }
        try adminServer?.start(opened: adapters.downloader.ownListeners.add)
        let desyncPurges = DesyncPurges(pipeline, isShared: adapters.shared != nil, news, logger: logger)
        await makeUpForDoubts(adapters.disk, by: desyncPurges)
        // Purges that other nodes ordered meanwhile are carried out before anything is served.
        _ = await news?.catchUp(within: settings.fleet.catchUpTimeout)
        let drainTimes = DrainTimes(settings.server)
        signals.beginServing(drain: drainTimes.longest)
        readiness.begin()
        try publicServer.start(opened: adapters.downloader.ownListeners.add)
        try adapters.disk.start()
        return CompositionRoot(
            adapters: adapters, pipeline: pipeline, recorder: recorder, publicServer: publicServer,
            adminServer: adminServer, administration: administration, readiness: readiness,
            drainTimes: drainTimes, news: news, formerRules: formerRules,
            desyncPurges: desyncPurges)
    }

    /// Forgets the originals that the disk has forgotten at its opening in the shared store and at other nodes, too; now and
    /// whenever a folder is opened.
    private static func makeUpForDoubts(_ disk: DiskCache, by purges: DesyncPurges) async {
        // This is a reference cycle, but its objects live as long as the process.
        disk.followOpenings { store in Task { await purges.makeUp(for: store) } }
        if let store = disk.opened { await purges.makeUp(for: store) }
    }

    /// The rules under which the originals in the cache were fetched, compared with the present ones.
    private static func formerRules(
        _ settings: Settings, _ pipeline: Pipeline<Body>, logger: Logger
    ) async throws -> FormerRules {
        let formerRules = FormerRules(folder: settings.cacheFolder, logger: logger)
        let originRules = try OriginRules(settings)
        await formerRules.note(originRules)
        await formerRules.doubt(by: originRules, in: pipeline)
        return formerRules
    }

    /// The news of the fleet; nil without a fleet.
    private static func news(
        _ settings: Settings, _ adapters: Adapters, _ pipeline: Pipeline<Body>, _ formerRules: FormerRules,
        logger: Logger
    ) throws -> FleetNews? {
        let news = try adapters.fleet?.news(
            settings, pipeline, adapters.disk, adapters.shared?.store, logger: logger)
        adapters.disk.confirmOpened { [shared = adapters.shared?.store, weak news] in
            shared?.folderOpened()
            news?.folderOpened()
            return formerRules.doubtOpened()
        }
        news?.start()
        return news
    }

    private static func gauges(
        _ settings: Settings, _ adapters: Adapters, _ pipeline: Pipeline<Body>, _ server: HTTPServer,
        _ recorder: RequestRecorder, _ readiness: ReadinessCheck, _ news: FleetNews?, _ log: LogStream
    ) -> Gauges {
        Gauges(
            server: server, pipeline: pipeline, pool: adapters.decoders,
            inspectors: adapters.inspectors, downloader: adapters.downloader,
            answerCache: adapters.answerCache, disk: adapters.disk, shared: adapters.shared?.store,
            news: news, fleetClients: adapters.fleet?.limits?.clients?.counters,
            recorder: recorder, log: log, readiness: readiness,
            limits: ResourceLimits(
                connections: OpenFiles(settings).connections(settings), decoders: settings.decoders,
                memoryBytes: settings.memoryShares.cache, diskBytes: settings.cache.disk.bytes))
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
            // The limit at the start still holds for the inspectors' jail, so it bounds later ones.
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

    static func publicRules(
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
}

extension OwnListeners {
    fileprivate func add(_ addresses: [ListenAddress]) {
        for case .tcp(let host, let port) in addresses { add(host: host, port: port) }
    }
}

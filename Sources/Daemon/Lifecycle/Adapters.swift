// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import DecoderPool
internal import Kernel
internal import Logging
internal import Monitoring
internal import Origin
internal import Platform
internal import Settings
internal import Stores

/// The parts of the daemon that use things outside of the process: caches, network, worker processes.
struct Adapters: Sendable {
    let answerCache: AnswerCache
    let disk: DiskCache
    /// Nil without a shared store.
    let shared: SharedLevel?
    /// Nil without a fleet.
    let fleet: FleetLevel?
    /// Keys for stores that the platform issues.
    let keys: StoreKeys
    let downloader: Downloader
    let files: FileSource
    /// The certificate authorities of the start. They are kept because the libcurl of the span exporter only has their path.
    let authorities: CertificateAuthorities?
    let decoders: DecoderPool
    let inspectors: InspectorPool
    /// The name of the engine, as the decoders announce it.
    let engine: EngineInForce

    /// Starts all adapters. The disk cache reads its index now, and sweeps once it is started.
    /// - Throws: if the cache's folder is unusable, or no worker process can be started.
    static func open(_ settings: Settings, logger: Logger) async throws -> Adapters {
        // This comes before any name is looked up.
        NameSearch.turnOff(by: settings)
        let answerCache = AnswerCache(
            budget: settings.memoryShares.cache, openFiles: OpenFiles(settings).renditions)
        let unproven = UnprovenAnswers()
        let disk = try diskCache(settings, unproven, answerCache, logger: logger)
        let authorities = try settings.certificateAuthorities
        let keys = StoreKeys(logger: logger)
        try await keys.serve(settings, authorities?.bundle)
        let shared = try SharedLevel(
            settings, authorities, keys.credentials,
            makeFile: { () throws(SystemError) in try disk.makeFile() },
            isInDoubt: unproven.contains,
            noteDoubt: { key in
                guard unproven.contains(key) else { return true }
                // A disk that hangs must not delay purges, which run on the same threads.
                return disk.store?.noteDoubt(about: key, unless: { disk.hangs }) ?? false
            }, logger: logger)
        // The shared store's record of purges is in the disk cache's folder.
        if let shared { disk.followHangs { [weak store = shared.store] in store?.diskHangs($0) } }
        let fleet = try FleetLevel(settings, authorities, logger: logger)
        let downloader = try downloader(settings, unproven, authorities, keys, disk)
        let files = FileSource(
            try settings.fileConfiguration, makeFile: { () throws(SystemError) in try disk.makeFile() }
        ) {
            SystemEnvironment.now()
        }
        let zygote = Zygote(settings.workerProgram)
        async let inspectors = settings.startInspectors(of: zygote, logger: logger)
        let (decoders, engine) = try await settings.startDecoders(of: zygote, logger: logger)
        return Adapters(
            answerCache: answerCache, disk: disk, shared: shared, fleet: fleet, keys: keys,
            downloader: downloader,
            files: files,
            authorities: authorities, decoders: decoders, inspectors: try await inspectors, engine: engine)
    }

    /// Makes a file for the output of a process: on the disk, or in memory if the disk accepts none.
    var makeFile: @Sendable () async throws(SystemError) -> OwnedDescriptor {
        { [disk] () async throws(SystemError) in try await disk.makeFileAside() }
    }

    private static func diskCache(
        _ settings: Settings, _ unproven: UnprovenAnswers, _ answerCache: AnswerCache, logger: Logger
    ) throws -> DiskCache {
        var configuration = settings.diskConfiguration
        configuration.isInDoubt = unproven.contains
        return try DiskCache(configuration) {
            SystemEnvironment.now()
        } report: { event in
            event.log(to: logger)
        } released: { files in
            answerCache.release(files)
        }
    }

    private static func downloader(
        _ settings: Settings, _ unproven: UnprovenAnswers, _ authorities: CertificateAuthorities?,
        _ keys: StoreKeys, _ disk: DiskCache
    ) throws -> Downloader {
        var configuration = try settings.originConfiguration
        configuration.authorities = authorities?.bundle
        try keys.sign(&configuration, by: settings)
        let downloader = Downloader(
            configuration, unproven: unproven,
            makeFile: { () throws(SystemError) in try disk.makeFile() }
        ) {
            SystemEnvironment.now()
        }
        try downloader.start()
        return downloader
    }
}

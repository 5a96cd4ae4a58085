// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dialects
internal import Glibc
internal import HTTPServer
internal import Logging
internal import Monitoring
internal import Origin
internal import ServiceLifecycle
package import Settings
internal import UnixSignals

/// The daemon as a process: from its settings to serving, until a signal ends it.
package enum Application {
    /// Serves until a signal comes, and returns after the drain.
    /// - Parameter load: reads the settings again from where `settings` were read.
    /// - Throws: if a setting is unusable, or a part of the daemon cannot be started.
    package static func run(
        _ settings: Settings,
        load: @escaping @Sendable () throws(SettingsLoader.Mistakes) -> Settings
    ) async throws {
        CoreDumps.turnOff()
        Startup.prepare()
        let logRules = LogRules(settings)
        let log = try LineLogHandler.bootstrap(settings.log, rules: logRules)
        defer { log.close() }
        let logger = Logger(label: "pictor")
        let signals = try StartSignals.handle(logger: logger, log: log)
        let openFiles = OpenFiles(settings)
        try openFiles.check()
        openFiles.keepReserve()
        logger.info("starting", metadata: settings.inShort(openFiles: openFiles.limit))
        for remark in try settings.remarks { logger.warning("\(remark)") }
        openFiles.warn(to: logger)
        let (files, secretFiles) = (SettingFiles.all(of: settings), SettingFiles.secrets(of: settings))
        let root = try await CompositionRoot.open(settings, logger: logger, log: log, signals)
        let reloader = Reloader(
            settings, files, secretFiles: secretFiles, root, logRules: logRules, logger: logger, load: load)
        root.administration.reload.set(reloader)
        let secretWatch = SecretWatch.start(reloader)
        defer { secretWatch.cancel() }
        try StraySignals.tell(to: logger, drain: drain) {
            Task { try? await reloader.reload() }
        }
        let watchdog = Watchdog.start()
        defer { watchdog?.cancel() }
        let downloader = root.adapters.downloader
        let fetchWatch = FetchWatch.start(downloader, logger: logger)
        defer { fetchWatch.cancel() }
        let liveWatch = LiveWatch.start(root.administration.live)
        defer { liveWatch.cancel() }
        let desyncPurges = root.desyncPurges.start(downloader.desyncs, downloader.unproven)
        defer { desyncPurges.cancel() }

        let steps = root.shutdownSteps(desyncPurges) + [announcement(of: root, signals, to: logger)]
        var configuration = ServiceGroupConfiguration(
            services: steps.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) },
            logger: logger)
        configuration.gracefulShutdownSignals = [.sigterm, .sigint, .sigquit]
        try await ServiceGroup(configuration: configuration).run()
        ServiceNotifier.flush()
        logger.info("stopped")
    }

    /// Drains as SIGTERM does, because the service group catches that signal.
    @Sendable static func drain() { kill(getpid(), SIGTERM) }

    /// Announces that the daemon serves, and later that it drains. It is a step of the service group because the group catches
    /// signals by then, and takes over the one that came before. It is the first step to close.
    private static func announcement(
        of root: CompositionRoot, _ signals: StartSignals, to logger: Logger
    ) -> ShutdownStep {
        let drainTimes = root.drainTimes
        var announcement = ShutdownStep("announcement") {
            ServiceNotifier.tell(.stopping)
            let (delay, timeout) = drainTimes.now
            logger.notice("draining", metadata: ["delay": "\(delay)", "timeout": "\(timeout)"])
        }
        announcement.open = {
            announce(root, to: logger)
            signals.handOver()
        }
        return announcement
    }

    private static func announce(_ root: CompositionRoot, to logger: Logger) {
        for (name, server) in [("public", root.publicServer), ("admin", root.adminServer)] {
            for address in server?.addresses ?? [] {
                logger.info("listening", metadata: ["listener": "\(name)", "address": "\(address.text)"])
            }
        }
        ServiceNotifier.tell(.ready)
        pictor_unmap_used_code()
    }
}

extension Settings {
    /// The facts that operators need first, for one line of the log.
    fileprivate func inShort(openFiles: Int) -> Logger.Metadata {
        [
            "version": "\(Version.current)", "cache": "\(cacheFolder)",
            "memory": "\(ByteCount(memoryShares.cache).settingText)",
            "disk": "\(cache.disk.settingText)", "decoders": "\(decoders)", "open-files": "\(openFiles)",
        ]
    }
}

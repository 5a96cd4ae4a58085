// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// The daemon as a process: from settings to serving, until a signal ends it.
package enum Application {
    package static func run(_ settings: Settings) async throws {
        JSONLogHandler.bootstrap(settings.log)
        let logger = Logger(label: "pictor")
        let openFiles = OpenFiles.raise()
        logger.info("starting", metadata: settings.inShort(openFiles: openFiles))
        OpenFiles.warn(settings, limit: openFiles, to: logger)
        let house = try await House.open(settings, logger: logger)
        for (name, server) in [("public", house.publicServer), ("admin", house.adminServer)] {
            for address in server?.addresses ?? [] {
                logger.info("listening", metadata: ["listener": "\(name)", "address": "\(address.text)"])
            }
        }
        ServiceNotifier.tell(.ready)
        let watchdog = Watchdog.start()
        defer { watchdog?.cancel() }

        var configuration = ServiceGroupConfiguration(
            services: house.shutdownSteps(drainTimeout: settings.server.drainTimeout).map {
                ServiceGroupConfiguration.ServiceConfiguration(service: $0)
            }, logger: logger)
        configuration.gracefulShutdownSignals = [.sigterm, .sigint]
        try await ServiceGroup(configuration: configuration).run()
        logger.info("stopped")
    }
}

extension Settings {
    /// What an operator asks first.
    fileprivate func inShort(openFiles: Int) -> Logger.Metadata {
        [
            "version": "\(Version.current)", "cache": "\(cacheFolder)",
            "memory": "\(cache.memory.settingText)",
            "disk": "\(cache.disk.settingText)", "decoders": "\(decoders)", "open-files": "\(openFiles)",
        ]
    }
}

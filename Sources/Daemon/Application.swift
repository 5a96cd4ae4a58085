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
        let house = try await House.open(settings, logger: logger)
        for (name, server) in [("public", house.publicServer), ("admin", house.adminServer)] {
            for address in server?.addresses ?? [] {
                logger.info("listening", metadata: ["listener": "\(name)", "address": "\(address.text)"])
            }
        }
        ServiceNotifier.tell(.ready)

        var configuration = ServiceGroupConfiguration(
            services: house.shutdownSteps(drainTimeout: settings.server.drainTimeout).map {
                ServiceGroupConfiguration.ServiceConfiguration(service: $0)
            }, logger: logger)
        configuration.gracefulShutdownSignals = [.sigterm, .sigint]
        try await ServiceGroup(configuration: configuration).run()
        logger.info("stopped")
    }
}

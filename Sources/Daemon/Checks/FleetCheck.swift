// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Foundation
package import Settings

/// Connects to the fleet's Redis, writes an entry to a stream for this check, and deletes the stream.
package enum FleetCheck {
    /// One line with the result; none without a fleet.
    /// - Throws: if a setting cannot be used.
    package static func findings(_ settings: Settings) async throws -> [CheckFinding] {
        let authorities = try settings.certificateAuthorities
        guard let configuration = try settings.redisConfiguration(authorities) else { return [] }
        let names = configuration.addresses.map(\.words).joined(separator: ", ")
        let link = try RedisLink(configuration, name: "fleet-check") { _ in }
        try link.start()
        let finding: CheckFinding
        do throws(RedisFailure) {
            let key = "{\(settings.fleet.prefix)}:check"
            let limit = settings.fleet.connectTimeout + settings.fleet.commandTimeout * 2
            for command in [
                ["PING"], ["XADD", key, "*", "check", "1"], ["XRANGE", key, "-", "+", "COUNT", "1"],
                ["DEL", key],
            ] {
                _ = try await link.send(RedisCommand(command), within: limit, waits: true)
            }
            finding = .good("The fleet's Redis at \(names) answers, and takes entries.")
        } catch {
            let words = error == .timedOut ? link.why : error.description
            finding = .obstacle("The fleet's Redis at \(names): \(words).")
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                link.close()
                continuation.resume()
            }
        }
        return [finding]
    }
}

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
        var failure: RedisFailure?
        // Where a replica refuses an entry, the link goes on to the next address.
        for _ in configuration.addresses {
            failure = await trial(of: link, settings.fleet)
            guard case .refused? = failure else { break }
        }
        let finding: CheckFinding
        if let failure {
            let words = failure == .timedOut ? link.why : failure.description
            finding = .obstacle("The fleet's Redis at \(names): \(words).")
        } else {
            finding = .good("The fleet's Redis at \(names) answers, and takes entries.")
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                link.close()
                continuation.resume()
            }
        }
        return [finding]
    }

    /// Writes, reads and deletes an entry. Returns why that fails; nil if it does not.
    private static func trial(of link: RedisLink, _ fleet: Settings.Fleet) async -> RedisFailure? {
        let key = "{\(fleet.prefix)}:check"
        let limit = fleet.connectTimeout + fleet.commandTimeout * 2
        do throws(RedisFailure) {
            for command in [
                ["PING"], ["XADD", key, "*", "check", "1"], ["XRANGE", key, "-", "+", "COUNT", "1"],
                ["DEL", key],
            ] {
                _ = try await link.send(RedisCommand(command), within: limit, waits: true)
            }
            return nil
        } catch {
            return error
        }
    }
}

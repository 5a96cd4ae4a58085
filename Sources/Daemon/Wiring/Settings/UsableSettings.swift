// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Endpoints
internal import Foundation
package import Settings
internal import Signatures

extension Settings {
    static var cores: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    /// Finds the mistakes that `serve` would otherwise meet after it has opened caches and sockets.
    /// - Throws: the first mistake.
    package func mustBeUsable() throws(UnusableSetting) {
        _ = try publicServerConfiguration
        _ = try adminServerConfiguration
        _ = try originConfiguration
        guard cache.clientMinimumLifetime <= cache.clientMaximumLifetime else {
            throw UnusableSetting(
                description: "cache.client-minimum-lifetime is above cache.client-maximum-lifetime")
        }
        _ = try Dialects(self)
        _ = try refererRule
        _ = try givenWatermarks
        _ = try freePresets
        _ = try adminHosts
    }
}

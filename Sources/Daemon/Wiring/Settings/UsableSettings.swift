// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Endpoints
package import Settings
internal import Signatures

extension Settings {
    /// A sentence for each mistake that `serve` would meet only after it has opened caches and sockets, with its place.
    package var mistakes: [String] {
        var list = contradictions
        func check(_ use: () throws(UnusableSetting) -> Void) {
            do throws(UnusableSetting) { try use() } catch { list += error.mistakes }
        }
        check { () throws(UnusableSetting) in _ = try publicServerConfiguration }
        check { () throws(UnusableSetting) in _ = try adminServerConfiguration }
        check { () throws(UnusableSetting) in _ = try originConfiguration }
        check { () throws(UnusableSetting) in _ = try sharedStorePlace(nil) }
        check { () throws(UnusableSetting) in _ = try keySource }
        check { () throws(UnusableSetting) in _ = try redisConfiguration(nil) }
        check { () throws(UnusableSetting) in _ = try certificateAuthorities }
        list += Dialects.mistakes(in: self)
        check { () throws(UnusableSetting) in _ = try refererRule }
        check { () throws(UnusableSetting) in _ = try CrossOriginRule(cors) }
        check { () throws(UnusableSetting) in _ = try configuredWatermarks }
        check { () throws(UnusableSetting) in _ = try configuredFallback }
        check { () throws(UnusableSetting) in _ = try freePresets }
        check { () throws(UnusableSetting) in _ = try adminHosts }
        check { () throws(UnusableSetting) in _ = try collectorConfiguration }
        check { () throws(UnusableSetting) in _ = try tracedOrigins }
        var seen: Set<String> = []
        return list.filter { seen.insert($0).inserted }.map(places.placed)
    }

    /// - Throws: all mistakes.
    package func mustBeUsable() throws(UnusableSetting) {
        let mistakes = mistakes
        if !mistakes.isEmpty { throw UnusableSetting(mistakes) }
    }
}

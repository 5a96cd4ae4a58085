// SPDX-License-Identifier: Apache-2.0

/// The difference between the settings in force and those that were read anew.
package struct SettingsChange: Sendable, Equatable {
    /// Keys of settings that change while the daemon runs, in the order of the table.
    package let live: [String]
    /// The settings that change at the next start.
    package let atRestart: [Waiting]
    /// The settings in force with those that change live.
    package let settings: Settings

    /// A setting whose new value is not in force.
    package struct Waiting: Sendable, Equatable {
        /// The setting's key.
        package let key: String
        /// Why it waits.
        package let reason: RestartReason
    }

    /// Compares each setting.
    /// - Parameter held: keys of settings that wait although they could change live.
    package init(from old: Settings, to new: Settings, holding held: Set<String> = []) {
        var settings = old
        settings.places = new.places
        var (live, atRestart): ([String], [Waiting]) = ([], [])
        for setting in Setting.table where setting.differs(old, new) {
            switch setting.life {
            case .live where held.contains(setting.key):
                atRestart.append(Waiting(key: setting.key, reason: .company))
            case .live:
                live.append(setting.key)
                setting.copy(new, &settings)
            case .atRestart(let reason): atRestart.append(Waiting(key: setting.key, reason: reason))
            }
        }
        (self.live, self.atRestart, self.settings) = (live, atRestart, settings)
    }

    /// The change after which the settings have no mistakes, of two that have none by themselves. A live setting may go with
    /// another that changes at the next start only: where a mistake names it, it waits as well.
    /// - Parameter mistakes: in settings, a sentence each, which names them.
    /// - Throws: mistakes that name nothing that could wait.
    package static func consistent(
        from old: Settings, to new: Settings, mistakes: (Settings) -> [String]
    ) throws(UnusableSetting) -> SettingsChange {
        var held: Set<String> = []
        // Each round holds one more at least.
        while true {
            let change = SettingsChange(from: old, to: new, holding: held)
            let sentences = mistakes(change.settings)
            if sentences.isEmpty { return change }
            let named = change.live.filter { key in
                sentences.contains { SettingPlaces.keys(in: $0).contains(key) }
            }
            guard !named.isEmpty else { throw UnusableSetting(sentences) }
            held.formUnion(named)
        }
    }
}

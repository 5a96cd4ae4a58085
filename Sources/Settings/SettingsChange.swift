// SPDX-License-Identifier: Apache-2.0

/// Compares the settings in force with those that were read again.
package struct SettingsChange: Sendable, Equatable {
    /// Keys of the settings that change now, in the order of the table.
    package let live: [String]
    /// The settings that change at the next start.
    package let atRestart: [Waiting]
    /// The settings in force, with the new values of those that change now.
    package let settings: Settings

    /// A setting whose new value is not in force.
    package struct Waiting: Sendable, Equatable {
        /// The setting's key.
        package let key: String
        /// Why it waits.
        package let reason: RestartReason
    }

    /// Compares each setting.
    /// - Parameter held: keys of live settings that must wait for the next start.
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

    /// Keys of the settings of which the value or the file changes now, in the order of the table.
    /// - Parameter files: keys of the settings whose file has changed.
    package func keys(withFiles files: Set<String>) -> [String] {
        Setting.table.map(\.key).filter { live.contains($0) || files.contains($0) }
    }

    /// The change between two valid settings after which the settings in force are still valid. The new value of a live setting
    /// may contradict the old value of one that changes only at the next start; if a mistake names the live setting, it waits as
    /// well.
    /// - Parameter mistakes: gives a sentence for each mistake in settings, which names the settings.
    /// - Throws: mistakes that name no setting that could wait.
    package static func consistent(
        from old: Settings, to new: Settings, mistakes: (Settings) -> [String]
    ) throws(UnusableSetting) -> SettingsChange {
        var held: Set<String> = []
        // Each round makes at least one more setting wait.
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

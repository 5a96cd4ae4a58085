// SPDX-License-Identifier: Apache-2.0

package import Settings

/// A suite of tests that load settings from every place where they can be set.
package protocol SettingsSuite {}

extension SettingsSuite {
    package func load(
        flags: [String] = [], environment: [String: String] = [:], yaml: String? = nil
    ) throws -> Settings {
        try SettingsLoader.load(
            flags: flags, environment: environment, file: yaml.map { ("pictor.yaml", $0) })
    }

    package func mistakes(
        flags: [String] = [], environment: [String: String] = [:], yaml: String? = nil
    ) -> [String] {
        do {
            _ = try load(flags: flags, environment: environment, yaml: yaml)
            return []
        } catch let error as SettingsLoader.Mistakes {
            return error.list
        } catch {
            return ["unexpected: \(error)"]
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Origin
package import Settings

/// Lists of hosts in the settings.
package enum HostPatterns {
    /// - Parameter key: the setting's name, for the error.
    /// - Throws: an error that names each text that is no host pattern.
    package static func read(_ texts: [String], _ key: String) throws(UnusableSetting) -> [HostPattern] {
        let mistakes = texts.filter { HostPattern($0) == nil }.map {
            "\(key): \"\($0)\" is no host such as images.example or *.example"
        }
        guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
        return texts.compactMap(HostPattern.init)
    }
}

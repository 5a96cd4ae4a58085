// SPDX-License-Identifier: Apache-2.0

package import Settings
package import SourceURLs

/// What URLs of originals mean by the settings: their aliases, and the parameters that make no difference. One for all URLs, so
/// that an original has one key whoever names it.
package struct SourceNames: Sendable {
    private let aliases: SourceAliases
    private let dropped: DroppedParameters

    /// Throws for an alias or a profile that cannot be used.
    package init(_ settings: Settings) throws(UnusableSetting) {
        aliases = try SourceAliases(settings.origin.aliases)
        dropped = DroppedParameters(try settings.originProfiles)
    }

    /// The original that a URL names.
    /// - Throws: if the place that an alias stands for can have no such path.
    package func original(of url: SourceURL) throws(SourceURLError) -> SourceURL {
        dropped.removed(from: try aliases.resolved(url))
    }
}

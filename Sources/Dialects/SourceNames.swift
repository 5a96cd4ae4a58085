// SPDX-License-Identifier: Apache-2.0

package import Settings
package import SourceURLs

/// Resolves originals' URLs by the settings: aliases, and parameters that make no difference. Used for all URLs, so that an original
/// has the same key in every dialect.
package struct SourceNames: Sendable {
    private let aliases: SourceAliases
    private let parameters: ParameterRules

    /// - Throws: for an alias or a profile that cannot be used.
    package init(_ settings: Settings) throws(UnusableSetting) {
        aliases = try SourceAliases(settings.origin.aliases)
        parameters = ParameterRules(try settings.originProfiles)
    }

    /// The original that a URL names.
    /// - Throws: if such a path is not possible at the place that an alias stands for.
    package func original(of url: SourceURL) throws(SourceURLError) -> SourceURL {
        parameters.keyed(try aliases.resolved(url))
    }

    /// True for a URL that names an alias, and so does not show where its original is.
    package func isAlias(_ url: SourceURL) -> Bool { aliases.beginning(for: url) != nil }

    /// A recipe's watermark as in keys and logs: a name from the settings, or a URL without the parameters that open it.
    package func known(watermark name: String) -> String {
        guard name.contains("/"), let url = try? SourceURL.parse(name) else { return name }
        return parameters.keyed(url).absolute
    }

    /// The original that a URL names, as text for a recipe, including everything that its origin gets.
    /// - Throws: as `original(of:)`.
    func watermark(of url: SourceURL) throws(SourceURLError) -> String {
        parameters.removed(from: try aliases.resolved(url)).absolute
    }
}

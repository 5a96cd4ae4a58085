// SPDX-License-Identifier: Apache-2.0

package import Answers
package import HTTPSemantics
package import RequestGrammar
internal import Settings
package import Signatures

/// `/cdn-cgi/image/width=80,quality=75/https://host/photo.jpg`: the URLs of Cloudflare's image resizing.
package struct CloudflareDialect: Dialect {
    package let isServed: Bool
    private let rules: CloudflareRules
    private let vocabulary: Vocabulary

    /// - Parameter keepsDrawings: the setting `encoder.svg`.
    init(
        _ settings: Settings.Cloudflare, keepsDrawings: Bool = false, _ vocabulary: Vocabulary
    ) throws(UnusableSetting) {
        isServed = settings.enabled
        rules = try CloudflareRules(settings, keepsDrawings: keepsDrawings)
        self.vocabulary = vocabulary
    }

    package static let path = "/cdn-cgi/image"
    package var name: DialectName { .cloudflare }
    package var path: String { Self.path }
    package var place: PathPlace? { Settings.Cloudflare.place }

    package func plain(_ target: RequestTarget) -> RequestTarget {
        RequestTarget(path: Self.path, query: CloudflareTarget.query(target))
    }

    /// - Throws: for a source that would be read as another one in a path.
    package func url(saying query: CanonicalQuery, by rule: SignatureRule) throws(Refusal) -> String? {
        _ = try read(RequestTarget(path: path, query: query.bytes))
        guard let keys = rule.keys else { return nil }
        return CloudflareTarget.path(
            saying: query, signature: keys.signature(of: query.material(path: path)))
    }

    /// `onerror=redirect`, which leads only to the site that the settings name.
    package var fallbacks: FallbackGrammar {
        FallbackGrammar(names: ["onerror"], sourceWord: "redirect", home: rules.home)
    }

    /// Leaves only the formats that `options.auto-formats` names.
    package func accepted(_ accept: AcceptClass) -> AcceptClass { accept.intersection(vocabulary.formats) }

    package var reportWords: ReportWords { .cloudflare }

    package func read(_ target: RequestTarget) throws(Refusal) -> ImageRequest { try read(target, .none) }

    /// - Throws: the refusal of an option or a source.
    package func read(_ target: RequestTarget, _ needs: ClientNeeds) throws(Refusal) -> ImageRequest {
        do throws(CloudflareRefusal) {
            return try ImageRequest.parse(
                cloudflare: target.query ?? [], rules: rules, vocabulary: vocabulary, needs: needs)
        } catch {
            throw Refusal(ErrorResponse(.badParameter, error.message))
        }
    }
}

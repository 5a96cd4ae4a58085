// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
package import SourceURLs

/// Why a URL in Cloudflare's form is refused.
package enum CloudflareRefusal: Error, Sendable {
    case noSource
    /// The source is neither a URL with its scheme nor a path.
    case noURL
    case unknown(name: String)
    case repeated(name: String)
    /// `allowed` describes the values.
    case value(name: String, allowed: String)
    /// Cloudflare has the option, but Pictor has no counterpart; `reason` is a sentence.
    case unsupported(option: String, reason: String)
    /// The source is a path, but the settings name no site.
    case noBase
    case source(SourceURLError)
    case text(RequestError)

    /// The sentence for the client.
    package var message: String {
        switch self {
        case .noSource:
            "The URL has no source. Its form is \(CloudflareDialect.path)/<options>/<source>."
        case .noURL: "The source is neither an http or https URL nor a path."
        case .unknown(let name):
            "There is no option \"\(name.prefix(40))\". Options are \(CloudflareQuery.names.joined(separator: ", "))."
        case .repeated(let name): "The option \"\(name.prefix(40))\" is given more than once."
        case .value(let name, let allowed):
            "The value of the option \"\(name)\" is not allowed. Allowed: \(allowed)."
        case .unsupported(let option, let reason): "The option \"\(option)\" is not supported. \(reason)"
        case .noBase:
            "The source is a path, and cloudflare.base-url names no site to fetch it from; give an http or https URL."
        case .source(let error): error.message
        case .text(let error): error.message
        }
    }
}

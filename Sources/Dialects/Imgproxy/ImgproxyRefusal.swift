// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// Why a URL in imgproxy's form is refused.
package enum ImgproxyRefusal: Error, Sendable {
    case noSource
    /// An option stands in the place of the signature.
    case noSignature
    /// `/fill/300/400/sm/0/…`, a form that imgproxy 3 removed.
    case basicForm
    case onlyPresets
    case unknown(name: String)
    /// A segment before the source has no arguments.
    case noOption(segment: String)
    /// imgproxy has the option, but Pictor has no counterpart; `reason` is a sentence.
    case unsupported(option: String, reason: String)
    /// `allowed` describes the arguments.
    case arguments(name: String, allowed: String)
    case noPreset(name: String)
    case recursivePreset(name: String)
    case tooManyPresets(limit: Int)
    case badEncoding
    /// A plain source contains escaped bytes that are no text.
    case notText
    case severalFormats(isPlain: Bool)
    /// The source ends in an extension that is no format.
    case noFormat(name: String)
    case noEncryptionKey
    case notDecrypted
    case noURL
    case noBase
    case source(SourceURLError)

    /// The sentence for the client.
    package var message: String {
        switch self {
        case .noSource:
            "The URL has no source. Its form is /<signature>/<options>/plain/<source>@<extension>."
        case .noSignature:
            "The URL begins with an option. Before it stands a signature or, without keys, any word, as insecure."
        case .basicForm: "Sizes without names are imgproxy's old form; write resize:fill:300:400."
        case .onlyPresets: "The segment before the source names presets only (imgproxy.only-presets)."
        case .unknown(let name):
            "There is no option \"\(name.prefix(40))\". Options are \(ImgproxyOption.names.joined(separator: ", "))."
        case .noOption(let segment):
            "\"\(segment.prefix(40))\" is neither an option with its arguments, as width:300, nor a source."
        case .unsupported(let option, let reason):
            "The option \"\(option.prefix(60))\" is not supported. \(reason)"
        case .arguments(let name, let allowed):
            "The arguments of the option \"\(name.prefix(40))\" are not allowed. Allowed: \(allowed)."
        case .noPreset(let name): "There is no preset \"\(name.prefix(40))\" in imgproxy.presets."
        case .recursivePreset(let name): "The preset \"\(name.prefix(40))\" names itself."
        case .tooManyPresets(let limit):
            "The URL takes more than \(limit) presets, those within presets included."
        case .badEncoding: "The source is neither plain/<URL> nor a URL in base64url."
        case .notText: "The source is not UTF-8 once its escapes are decoded."
        case .severalFormats(let isPlain):
            "The source ends in more than one extension.\(isPlain ? " Write an @ that belongs to the source as %40." : "")"
        case .noFormat(let name):
            "The source ends in the extension \"\(name.prefix(40))\", which is no format. Write an @ that belongs to the source as %40."
        case .noEncryptionKey: "There is no key for encrypted sources (imgproxy.encryption-key)."
        case .notDecrypted: "The encrypted source cannot be read by imgproxy.encryption-key."
        case .noURL:
            "The source is no http or https URL. A store or a folder is asked for by its alias (origin.aliases)."
        case .noBase:
            "The source is no http or https URL, and imgproxy.base-url names nothing to put before it."
        case .source(let error): error.message
        }
    }
}

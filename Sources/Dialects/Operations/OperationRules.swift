// SPDX-License-Identifier: Apache-2.0

internal import Hashing
internal import HTTPSemantics
internal import RequestGrammar
internal import Settings
internal import Signatures
internal import SourceURLs

/// The configuration of a dialect of operations.
struct OperationRules: Sendable {
    let isServed: Bool
    let place: PathPlace?
    let keys: OperationKeys
    /// True if unsigned URLs are answered although there are keys.
    let allowsUnsafe: Bool
    let sources: OperationSources
    let others: UnsupportedFilterRule
    /// Formats that `Accept` may choose.
    let formats: AcceptClass

    /// - Throws: for a key, a base URL or a format that cannot be used, and for a signature that is required without a key.
    init(
        _ settings: Settings, _ own: Settings.Operations, _ name: DialectName,
        _ spelling: OperationSources.Spelling
    ) throws(UnusableSetting) {
        isServed = own.enabled
        place = PathPlace(own.path)
        let secrets = try settings.operationSecrets(own, name.rawValue)
        keys = OperationKeys(
            secrets.texts, hash: KeyedHash(rawValue: own.signer) ?? .sha1,
            length: own.truncate > 0 ? own.truncate : nil)
        allowsUnsafe = own.unsafe
        others = UnsupportedFilterRule(rawValue: own.otherFilters) ?? .refuse
        formats = try AutoFormats.read(own.autoFormats, "\(name.rawValue).auto-formats")
        let base = own.baseURL.hasSuffix("/") ? String(own.baseURL.dropLast()) : own.baseURL
        guard base.isEmpty || Self.isBase(base) else {
            throw UnusableSetting(
                description: "\(name.rawValue).base-url: \"\(own.baseURL)\" is no http or https URL")
        }
        sources = OperationSources(
            base: base.isEmpty ? nil : base, scheme: own.scheme == "http" ? .http : .https,
            spelling: spelling)
        if isServed, keys.isEmpty, settings.signedDialects.contains(name) {
            throw UnusableSetting(
                description:
                    "signatures.required: there is no key for \(name.rawValue)'s URLs: set \(name.rawValue).keys-file"
            )
        }
    }

    private static func isBase(_ text: String) -> Bool {
        text.contains("://") && !text.contains(where: { "?#".contains($0) })
            && (try? SourceURL.parse(text)) != nil
    }
}

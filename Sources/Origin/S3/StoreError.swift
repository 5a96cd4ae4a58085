// SPDX-License-Identifier: Apache-2.0

/// A store's refusal of a request: `<Error><Code>NoSuchKey</Code><Message>…</Message>…</Error>`.
///
/// For operators, and to tell whether the key is refused or the object: apart from that the status alone decides. So this
/// is no XML parser. It takes the first element of each name, and only text that can stand in a log.
package struct StoreError: Sendable, Hashable {
    /// `NoSuchKey`, `AccessDenied`, `SignatureDoesNotMatch`; empty if there is none.
    package let code: String
    /// The store's sentence; empty if there is none.
    package let message: String

    /// Bytes of a body that are looked at.
    static let longest = 4_096
    /// Bytes of a message that are kept.
    private static let longestMessage = 200

    /// Reads the beginning of a body, whatever it is.
    package init(_ bytes: some Collection<UInt8>) {
        let text = Array(bytes.prefix(Self.longest))[...]
        code = Self.element("Code", of: text, longest: 64)
        message = Self.element("Message", of: text, longest: Self.longestMessage)
    }

    /// Codes of refusals for the network that is asked from, for the region, for the key, for its account, for its end, for the
    /// signature, and for the clock that it was made by (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html,
    /// https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes,
    /// https://learn.microsoft.com/rest/api/storageservices/sas-error-codes,
    /// https://developers.cloudflare.com/r2/api/error-codes/; MinIO's `InvalidTokenId`, Ceph's `UserSuspended`, and Google's
    /// `UserProjectAccountProblem`, of a project that is not paid for). Azure's firewall says `AuthorizationFailure`; an account that
    /// takes no keys, and so no tokens made by them, `KeyBasedAuthenticationNotPermitted`; one that is not read at present
    /// `InsufficientAccountPermissions`. `AccessDenied` and `AuthorizationPermissionMismatch` may be of the object. What is closed
    /// to strangers (`NoAuthenticationInformation`, `PublicAccessNotPermitted`) is not served on either.
    private static let codesOfKeys: Set<String> = [
        "AccountIsDisabled", "AccountProblem", "AuthenticationFailed", "AuthorizationFailure",
        "AuthorizationHeaderMalformed", "AuthorizationProtocolMismatch",
        "AuthorizationResourceTypeMismatch", "AuthorizationServiceMismatch",
        "AuthorizationSourceIPMismatch",
        "ExpiredRequest", "ExpiredToken", "InsufficientAccountPermissions", "InvalidAccessKeyId",
        "InvalidAuthenticationInfo", "InvalidSecurity", "InvalidToken", "InvalidTokenId",
        "KeyBasedAuthenticationNotPermitted", "NotSignedUp", "PermanentRedirect", "RequestTimeTooSkewed",
        "SignatureDoesNotMatch", "TokenRefreshRequired", "Unauthorized", "UserProjectAccountProblem",
        "UserSuspended",
    ]

    /// True if the store refuses who asks, or where, and has not looked at what is asked for.
    package var isAboutKey: Bool { Self.codesOfKeys.contains(code) }

    /// Code and message in one line.
    var words: String { [code, message].filter { !$0.isEmpty }.joined(separator: ": ") }

    private static func element(_ name: String, of text: ArraySlice<UInt8>, longest: Int) -> String {
        let tag = Array("<\(name)>".utf8)
        guard let start = offset(of: tag, in: text) else { return "" }
        let content = text.dropFirst(start + tag.count).prefix { $0 != UInt8(ascii: "<") }.prefix(longest)
        return String(
            decoding: content.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Specialised, unlike `firstRange`: a shared store answers each read in vain with a text of this kind.
    private static func offset(of tag: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { text[$0...].starts(with: tag) }.map { $0 - text.startIndex }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A store's refusal of a request: `<Error><Code>NoSuchKey</Code><Message>…</Message>…</Error>`.
///
/// It serves operators, and tells whether the key or the object is refused; everything else follows from the status. So this is
/// not an XML parser: it takes the first element of each name, and only text that is safe in a log.
package struct StoreError: Sendable, Hashable {
    /// `NoSuchKey`, `AccessDenied`, `SignatureDoesNotMatch`; empty if there is none.
    package let code: String
    /// The store's sentence; empty if there is none.
    package let message: String

    /// The most bytes of a body that are examined.
    static let longest = 4_096
    /// The most bytes of a message that are kept.
    private static let longestMessage = 200

    /// Reads the beginning of a body of any kind.
    package init(_ bytes: some Collection<UInt8>) {
        let text = Array(bytes.prefix(Self.longest))[...]
        code = Self.element("Code", of: text, longest: 64)
        message = Self.element("Message", of: text, longest: Self.longestMessage)
    }

    /// Codes of refusals because of the client's network, the region, the key, its account, its expiry, the signature, or the clock
    /// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html,
    /// https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes,
    /// https://learn.microsoft.com/rest/api/storageservices/sas-error-codes, https://developers.cloudflare.com/r2/api/error-codes/;
    /// MinIO's `InvalidTokenId`, Ceph's `UserSuspended`, and Google's `UserProjectAccountProblem`, for a project that is not paid
    /// for). Azure's firewall answers `AuthorizationFailure`; an account that accepts no keys, and so no tokens made with them,
    /// `KeyBasedAuthenticationNotPermitted`; an account that cannot be read at present `InsufficientAccountPermissions`.
    /// `AccessDenied` and `AuthorizationPermissionMismatch` are not here, because they may concern the object. Neither are
    /// `NoAuthenticationInformation` and `PublicAccessNotPermitted`: pictures that are closed to unauthenticated requests must not be
    /// served any longer.
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

    /// Those of the codes that tell of temporary keys which have ended, or which the store does not know any more.
    private static let codesOfEndedKeys: Set<String> = [
        "ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "InvalidTokenId", "TokenRefreshRequired",
    ]

    /// Statuses of refusals of a key. Amazon answers 301 without a `Location` if the bucket is in another region.
    static let statusesOfKeys: Set<Int> = [301, 400, 401, 403]

    /// True if the answer has this status, and other keys may be accepted where these are refused.
    func isAboutEndedKey(_ status: Int) -> Bool {
        Self.statusesOfKeys.contains(status) && Self.codesOfEndedKeys.contains(code)
    }

    /// True if the store refuses the client as such, without having looked at the requested object.
    package var isAboutKey: Bool { Self.codesOfKeys.contains(code) }

    /// The code and the message on one line.
    var words: String { [code, message].filter { !$0.isEmpty }.joined(separator: ": ") }

    private static func element(_ name: String, of text: ArraySlice<UInt8>, longest: Int) -> String {
        let tag = Array("<\(name)>".utf8)
        guard let start = offset(of: tag, in: text) else { return "" }
        let content = text.dropFirst(start + tag.count).prefix { $0 != UInt8(ascii: "<") }.prefix(longest)
        return String(
            decoding: content.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Faster than `firstRange`, because a shared store answers each miss with such a text.
    private static func offset(of tag: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { text[$0...].starts(with: tag) }.map { $0 - text.startIndex }
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Origin
import Testing

/// The published examples: AWS' Signature Version 4 test suite, and the S3 API reference ("Examples: Signature Calculations").
@Suite("Requests are signed as AWS Signature Version 4 has it")
struct RequestSignatureTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "GET"
        var target = "/"
        var fields: [(String, String)] = []
        var body = RequestSignature.emptyBody
        var names: String
        var signature: String
        var testDescription: String { name }
    }

    private static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

    private static let suite: [Vector] = [
        Vector(
            name: "get-vanilla", names: "host;x-amz-date",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "post-vanilla", method: "POST", names: "host;x-amz-date",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "get-vanilla-query-order-key-case", target: "/?Param2=value2&Param1=value1",
            names: "host;x-amz-date",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-unreserved",
            target: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            names: "host;x-amz-date",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-utf8", target: "/%E1%88%B4", names: "host;x-amz-date",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            name: "get-header-value-trim",
            fields: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            names: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector(
            name: "post-header-value-case", method: "POST", fields: [("My-Header1", "VALUE1")],
            names: "host;my-header1;x-amz-date",
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        Vector(
            name: "post-sts-header-before", method: "POST", fields: [("X-Amz-Security-Token", token)],
            names: "host;x-amz-date;x-amz-security-token",
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    ]

    @Test(arguments: suite)
    func `the test suite's cases`(vector: Vector) {
        let signer = RequestSignature(
            StoreCredentials(
                accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "service")
        let stamp = "20150830T123600Z"
        let fields = [("Host", "example.amazonaws.com"), ("X-Amz-Date", stamp)] + vector.fields
        let value = signer.authorization(
            method: vector.method, target: vector.target, fields: fields.map { Fields.Field($0.0, $0.1) },
            stamp: stamp, bodyHash: vector.body)
        #expect(
            value
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=\(vector.names), Signature=\(vector.signature)"
        )
    }

    private static let store: [Vector] = [
        Vector(
            name: "GET an object's part", target: "/test.txt", fields: [("Range", "bytes=0-9")],
            names: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            name: "GET a bucket's lifecycle", target: "/?lifecycle",
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            name: "GET a bucket's list", target: "/?max-keys=2&prefix=J",
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        Vector(
            name: "PUT an object", method: "PUT", target: "/test%24file.text",
            fields: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], body: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    ]

    @Test(arguments: store)
    func `the examples of S3's reference`(vector: Vector) {
        let signer = RequestSignature(
            StoreCredentials(
                accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "s3")
        let stamp = "20130524T000000Z"
        let fields =
            [
                ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", vector.body),
                ("x-amz-date", stamp),
            ]
            + vector.fields
        let value = signer.authorization(
            method: vector.method, target: vector.target, fields: fields.map { Fields.Field($0.0, $0.1) },
            stamp: stamp, bodyHash: vector.body)
        #expect(value.hasSuffix("SignedHeaders=\(vector.names), Signature=\(vector.signature)"), "\(value)")
    }

    @Test func `a time is stamped in UTC, and every part has its digits`() {
        #expect(RequestSignature.stamp(Timestamp(seconds: 1_440_938_160)) == "20150830T123600Z")
        #expect(RequestSignature.stamp(Timestamp(seconds: 946_782_245)) == "20000102T030405Z")
    }

    @Test func `credentials do not print themselves`() {
        let credentials = StoreCredentials(accessKey: "name", secretKey: "hidden", sessionToken: "token")
        #expect(!"\(credentials)".contains("hidden") && !"\(credentials)".contains("token"))
    }

    @Test(arguments: [
        (
            "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>None.</Message></Error>",
            "NoSuchKey: None."
        ),
        ("<Error>\n  <Code>AccessDenied</Code></Error>", "AccessDenied"), ("", ""), ("<html>no</html>", ""),
        ("<Code>A\u{1B}[2J\nB</Code>", "A?[2J?B"), ("<Code>cut off", "cut off"),
        ("<Message>&lt;x</Message>", "&lt;x"),
    ])
    func `a store's error is told in its own words, which cannot harm a log`(body: String, words: String) {
        #expect(StoreError(body.utf8).words == words)
    }

    @Test(arguments: [
        ("RequestTimeTooSkewed", true), ("ExpiredToken", true), ("SignatureDoesNotMatch", true),
        ("AuthenticationFailed", true), ("AccessDenied", false), ("NoSuchKey", false), ("", false),
        // Cloudflare's R2, for a revoked key and for a wrong clock.
        ("Unauthorized", true), ("ExpiredRequest", true),
        // MinIO, for an expired session token.
        ("InvalidTokenId", true),
        // Accounts that are closed or not paid for.
        ("AccountProblem", true), ("AccountIsDisabled", true), ("NotSignedUp", true),
        ("InvalidSecurity", true), ("UserSuspended", true), ("UserProjectAccountProblem", true),
        // Azure, for a network that its firewall does not admit, and for requests that a token does not cover.
        ("AuthorizationFailure", true), ("AuthorizationSourceIPMismatch", true),
        ("AuthorizationResourceTypeMismatch", true), ("AuthorizationPermissionMismatch", false),
        // Azure, for accounts that accept no keys or cannot be read at present; for containers that are closed to unauthenticated
        // requests; for a blob.
        ("KeyBasedAuthenticationNotPermitted", true), ("InsufficientAccountPermissions", true),
        ("PublicAccessNotPermitted", false), ("NoAuthenticationInformation", false), ("BlobArchived", false),
    ])
    func `a refusal of the key is told from one of the object`(code: String, isAboutKey: Bool) {
        #expect(StoreError("<Error><Code>\(code)</Code></Error>".utf8).isAboutKey == isAboutKey)
    }

    @Test func `a long error is cut`() {
        #expect(StoreError("<Message>\(String(repeating: "x", count: 4000))".utf8).message.count == 200)
        #expect(StoreError("\(String(repeating: " ", count: 5000))<Code>Late</Code>".utf8).code.isEmpty)
    }
}

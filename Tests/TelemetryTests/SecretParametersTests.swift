// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RequestGrammar
import Telemetry
import Testing

@Suite("Values of secret parameters are not written")
struct SecretParametersTests {
    private static let secrets = SecretParameters(["token", "X-Amz-Signature"])

    @Test(
        arguments: [
            // In the URL of the request itself.
            ("/img?url=a&token=abc", "/img?url=a&token=REDACTED"),
            ("/img?token=abc&w=8", "/img?token=REDACTED&w=8"), ("/img?TOKEN=abc", "/img?TOKEN=REDACTED"),
            ("/img?t%6Fken=abc", "/img?t%6Fken=REDACTED"),
            ("/img?token=a%26b&w=8", "/img?token=REDACTED&w=8"),
            ("/img?a=1;token=abc", "/img?a=1;token=REDACTED"), ("/img?token=abc#x", "/img?token=REDACTED#x"),
            ("/img?token=a=b", "/img?token=REDACTED"),
            // In a path.
            ("/i/w=8,token=abc/https://h/a?w=1", "/i/w=8,token=REDACTED/https://h/a?w=1"),
            ("/i/w=8,token=a%2Fb,h=9/x", "/i/w=8,token=REDACTED,h=9/x"),
            ("/i/w=8,Token=abc", "/i/w=8,Token=REDACTED"),
            ("/i/w=8%2Ctoken=abc/https://h/a", "/i/w=8%2Ctoken=REDACTED/https://h/a"),
            ("/i/w%3D8%2ctoken%3Dabc%2Ch%3D9/x", "/i/w%3D8%2ctoken%3DREDACTED%2Ch%3D9/x"),
            ("/i?w=8,token=abc", "/i?w=8,token=abc"), ("/i?token=a,b/c&w=8", "/i?token=REDACTED&w=8"),
            // In the URL of the original within it.
            ("/img?url=https://h/a?token=abc&w=8", "/img?url=https://h/a?token=REDACTED&w=8"),
            (
                "/img?url=https%3A%2F%2Fh%2Fa%3Ftoken%3Dabc&w=8",
                "/img?url=https%3A%2F%2Fh%2Fa%3Ftoken%3DREDACTED&w=8"
            ),
            (
                "/img?url=h%2Fa%3Ftoken%3Dabc%26x%3D1&w=8",
                "/img?url=h%2Fa%3Ftoken%3DREDACTED%26x%3D1&w=8"
            ),
            ("/img?url=h%2Fa%3Ftoken%3Da%2526b%26x%3D1", "/img?url=h%2Fa%3Ftoken%3DREDACTED%26x%3D1"),
            ("?u=%253Fx-amz-signature%253Dabc%2526b", "?u=%253Fx-amz-signature%253DREDACTED%2526b"),
            ("https://h/a?X-Amz-Signature=0f&token=1", "https://h/a?X-Amz-Signature=REDACTED&token=REDACTED"),
            // Nothing secret.
            ("/img?url=a&tokens=abc", "/img?url=a&tokens=abc"), ("/img?my-token=abc", "/img?my-token=abc"),
            ("/token=abc", "/token=abc"), ("/img?token", "/img?token"), ("/img?token=", "/img?token="),
            ("/img?token=&w=8", "/img?token=&w=8"), ("", ""), ("=", "="), ("?=", "?="), ("%", "%"),
            ("?%=1", "?%=1"), ("?token%", "?token%"), ("?token%3", "?token%3"), ("?toke%6", "?toke%6"),
        ] as [(String, String)])
    func `a value ends where its parameter does`(text: String, written: String) {
        #expect(Self.secrets.redacted(text) == written)
    }

    @Test(
        arguments: [
            ("/img?token[]=abc&w=8", "/img?token[]=REDACTED&w=8"),
            ("/img?token[0]=abc", "/img?token[0]=REDACTED"),
            ("/img?user[token]=abc", "/img?user[token]=REDACTED"),
            ("/img?user[TOKEN][0]=abc", "/img?user[TOKEN][0]=REDACTED"),
            ("/img?token%5B%5D=abc", "/img?token%5B%5D=REDACTED"),
            ("/img?user%5btoken%5d=abc", "/img?user%5btoken%5d=REDACTED"),
            ("?u=h%3Fuser%255Btoken%255D%3Dabc%26b%3D1", "?u=h%3Fuser%255Btoken%255D%3DREDACTED%26b%3D1"),
            ("/img?list[X-Amz-Date]=abc", "/img?list[X-Amz-Date]=REDACTED"),
            // Nothing secret.
            ("/img?tokens[]=abc", "/img?tokens[]=abc"),
            ("/img?user[my-token]=abc", "/img?user[my-token]=abc"),
            ("/img?user[]=abc", "/img?user[]=abc"), ("/img?[]=abc", "/img?[]=abc"),
        ] as [(String, String)])
    func `a name in brackets or before them counts`(text: String, written: String) {
        #expect(SecretParameters(["token"], patterns: ["X-Amz-*"]).redacted(text) == written)
    }

    @Test(
        arguments: [
            ("/img?url=https://u:p@h/a.jpg&w=8", "/img?url=https://REDACTED@h/a.jpg&w=8"),
            ("/img?url=https://u@h:8443", "/img?url=https://REDACTED@h:8443"),
            ("/img?url=https://u:p@q@h?token=abc", "/img?url=https://REDACTED@h?token=REDACTED"),
            // A slash, question mark or hash within the password.
            ("/img?url=https://u:p%2Fq%3F%23@h/a", "/img?url=https://REDACTED@h/a"),
            ("/img?url=https%3A%2F%2Fu%3Ap%252Fq%40h%2Fa@b", "/img?url=https%3A%2F%2FREDACTED%40h%2Fa@b"),
            ("/img?url=https%3A%2F%2Fu%3Ap%2526q%40h%2Fa", "/img?url=https%3A%2F%2FREDACTED%40h%2Fa"),
            // An "&" or ";" within the password.
            ("/img?url=https%3A%2F%2Fu%3Ap%26q%40h%2Fa&w=8", "/img?url=https%3A%2F%2FREDACTED%40h%2Fa&w=8"),
            ("/img?url=https://u:p%26q;r@h/a&w=8", "/img?url=https://REDACTED@h/a&w=8"),
            // Without a scheme.
            ("/img?url=//u:p@h/a", "/img?url=//REDACTED@h/a"),
            ("/img?url=%2F%2Fu%3Ap%26q%40h%2Fa@b", "/img?url=%2F%2FREDACTED%40h%2Fa@b"),
            ("/img?w=8&url=u:p@h/a@b", "/img?w=8&url=REDACTED@h/a@b"),
            ("/img?url=ssl%3Au%3Ap%40h%2Fa&w=8", "/img?url=REDACTED%40h%2Fa&w=8"),
            // With slashes that proxies have merged, and with backslashes.
            ("/S/plain/https:/u:p@h/a@png", "/S/plain/https:/REDACTED@h/a@png"),
            ("/img?url=https:/u:p@h/a", "/img?url=https:/REDACTED@h/a"),
            ("/img?url=HTTP%3A%2Fu%3Ap%40h%2Fa&w=8", "/img?url=HTTP%3A%2FREDACTED%40h%2Fa&w=8"),
            ("/img?url=https:///u:p@h/a", "/img?url=https:///REDACTED@h/a"),
            (#"/S/plain/https:\\u:p@h\a@png"#, #"/S/plain/https:\\REDACTED@h\a@png"#),
            ("/S/plain/https%3A%5Cu%3Ap%40h%5Ca@png", "/S/plain/https%3A%5CREDACTED%40h%5Ca@png"),
            // Without a scheme in a path.
            ("/insecure/plain/u:p@h/a.jpg@png", "/insecure/plain/REDACTED@h/a.jpg@png"),
            ("/insecure/plain/u%3Ap%40h%2Fa.jpg@png", "/insecure/plain/REDACTED%40h%2Fa.jpg@png"),
            ("/unsafe/8x8/https:u:p@h/a.jpg", "/unsafe/8x8/REDACTED@h/a.jpg"),
            ("/insecure/plain/u:p=q@h/a.jpg@png", "/insecure/plain/REDACTED@h/a.jpg@png"),
            ("/img?url=u:p=q@h/a&w=8", "/img?url=REDACTED@h/a&w=8"),
            ("/i/w=8,token=a:b@c/h/a.jpg", "/i/w=8,token=REDACTED/h/a.jpg"),
            (
                "/img?url=h/img%3Furl%3Dhttps%253A%252F%252Fu%40h",
                "/img?url=h/img%3Furl%3Dhttps%253A%252F%252FREDACTED%40h"
            ),
            ("/p/SIG/w:8/plain/https://u:p@h/a@png", "/p/SIG/w:8/plain/https://REDACTED@h/a@png"),
            // `https://u:p@h/a`.
            ("/img?url64=aHR0cHM6Ly91OnBAaC9h&w=8", "/img?url64=REDACTED&w=8"),
            // `https://u:p&q@h/a`.
            ("/img?url64=aHR0cHM6Ly91OnAmcUBoL2E&w=8", "/img?url64=REDACTED&w=8"),
            // No user.
            ("/img?url=https://h/@a", "/img?url=https://h/@a"),
            ("/img?url=https://@h", "/img?url=https://@h"),
            ("/img?url=https://h?a=@b", "/img?url=https://h?a=@b"),
            ("/img?url=https://h&text=a@b", "/img?url=https://h&text=a@b"),
            ("/img?url=https%3A%2F%2Fh&text=a@b", "/img?url=https%3A%2F%2Fh&text=a@b"),
            ("/img?url=h&text=a@b", "/img?url=h&text=a@b"), ("/img?text=a@b", "/img?text=a@b"),
            ("/_next/image?url=%2Fa%402x.png", "/_next/image?url=%2Fa%402x.png"),
            ("/S/plain/local:///a@2x/b", "/S/plain/local:///a@2x/b"),
            ("/S/plain/file:/a@b", "/S/plain/file:/a@b"),
            ("/S/plain/https%3A%2F%2Fh%2Fa.jpg@png", "/S/plain/https%3A%2F%2Fh%2Fa.jpg@png"),
            ("/unsafe/filters:watermark(a@2x.png,0,0)/h/a", "/unsafe/filters:watermark(a@2x.png,0,0)/h/a"),
            ("/unsafe/h/File:a@2x.png", "/unsafe/h/File:a@2x.png"),
            ("/a:/b@c", "/a:/b@c"), ("/a:b@c", "/a:b@c"), ("://", "://"), (":/", ":/"), (":", ":"),
        ] as [(String, String)])
    func `user and password of a URL are hidden`(text: String, written: String) {
        #expect(Self.secrets.redacted(text, .target) == written)
    }

    @Test(arguments: [
        ("/img?url=https://u:p@h/a&token=b", "/img?url=https://REDACTED@h/a&token=b"),
        ("/img?url64=aHR0cHM6Ly91OnBAaC9h&w=8", "/img?url64=REDACTED&w=8"),
    ])
    func `user and password are hidden without any name of a parameter`(text: String, written: String) {
        #expect(SecretParameters().redacted(text, .target) == written)
    }

    @Test(arguments: [
        (#"{"url":"u:p@h/a"}"#, #"{"url":"REDACTED@h/a"}"#), (#"{"url":"a@b"}"#, #"{"url":"a@b"}"#),
        (#"{"url":"u:p=q@h/a"}"#, #"{"url":"REDACTED@h/a"}"#),
        (#"{"a":"b","c":"d@e/f"}"#, #"{"a":"b","c":"d@e/f"}"#),
    ])
    func `user and password are hidden in an order, without a scheme too`(text: String, written: String) {
        #expect(Self.secrets.redacted(text) == written)
    }

    @Test(.timeLimit(.minutes(1)))
    func `what looks like many authorities is read once`() {
        let pieces = [
            "://", ":%2F%2F", "://a:", ":////", "=//", "url=", ";url=", "%3Burl=", "url%3D", "http:",
            "http:/",
            #"http:\"#, "http%3A%5C", "/a:", "\"a:", "%2Fa:", "%22a:",
        ]
        for piece in pieces {
            let text = "/" + String(repeating: piece, count: 25_000)
            #expect(Self.secrets.redacted(text, .target) == text)
            #expect(Self.secrets.redacted(text) == text)
        }
    }

    @Test(
        arguments: [
            ("/p/SIG/w:8/plain/x?token=abc", "/p/REDACTED/w:8/plain/x?token=REDACTED"),
            ("http://h:1/p/SIG/x", "http://h:1/p/REDACTED/x"), ("/p/SIG", "/p/REDACTED"),
            ("/p/SIG?a", "/p/REDACTED?a"), ("/p/SIG,token=abc/x", "/p/REDACTED/x"),
            ("/p/info/SIG/x", "/p/info/REDACTED/x"), ("/SIG/x", "/REDACTED/x"),
            ("/info/SIG/x", "/info/REDACTED/x"), ("/p/params/SIG/x", "/p/params/REDACTED/x"),
            ("/params/unsafe/x", "/params/unsafe/x"), ("/p/params/", "/p/params/"),
            // The parameter is the first of several options, or the only one.
            ("/health/token=abc,w=8/https://h/a", "/health/token=REDACTED,w=8/https://h/a"),
            ("/health/token=abc/https://h/a?token=b", "/health/token=REDACTED/https://h/a?token=REDACTED"),
            // There is no signature, or it is not in its place.
            ("/p/insecure/x", "/p/insecure/x"), ("/p/_/x", "/p/_/x"), ("/unsafe/x", "/unsafe/x"),
            ("/p/", "/p/"), ("/p//x", "/p//x"), ("/favicon.ico", "/favicon.ico"), ("/", "/"), ("", ""),
            ("/img?url=a/p/SIG/x", "/img?url=a/p/SIG/x"), ("/health/live", "/health/live"),
            ("https://h", "https://h"), ("/playground/page.js", "/playground/page.js"),
        ] as [(String, String)])
    func `a signature that begins a path is hidden`(text: String, written: String) throws {
        let places = ["/", "/p", "/p/info"].compactMap(PathPlace.init)
        #expect(SecretParameters(["token"], signaturesBelow: places).redacted(text, .target) == written)
        let named = SecretParameters(signaturesBelow: places).redacted(text, .target)
        #expect(named.contains("SIG") == written.contains("SIG"), "without names too: \(named)")
    }

    @Test(
        arguments: [
            ("/open/image/w=8,token=abc/https://h/a", "/open/image/w=8,token=REDACTED/https://h/a"),
            ("https://h/open/image/x", "https://h/open/image/x"), ("/open/SIG/x", "/open/REDACTED/x"),
            ("/SIG/x", "/REDACTED/x"), ("/open/imagery/x", "/open/REDACTED/x"),
            ("/open/image/p/SIG/x", "/open/image/p/REDACTED/x"),
        ] as [(String, String)])
    func `a path of a dialect without signatures has none`(text: String, written: String) throws {
        let places = ["/", "/open", "/open/image/p"].compactMap(PathPlace.init)
        let open = ["/open/image"].compactMap(PathPlace.init)
        let secrets = SecretParameters(["token"], signaturesBelow: places, openBelow: open)
        #expect(secrets.redacted(text, .target) == written)
    }

    @Test(arguments: [
        "/var/cache/pictor", "http://h/wp-content/uploads/a.jpg", "/p/a/b: permission denied",
        "/var/token=a/b",
    ])
    func `only a target's path begins with a signature`(text: String) {
        let places = ["/", "/p"].compactMap(PathPlace.init)
        #expect(SecretParameters(["token"], signaturesBelow: places).redacted(text) == text)
    }

    @Test(
        arguments: [
            ("/img?url=a&X-Amz-Date=abc", "/img?url=a&X-Amz-Date=REDACTED"),
            ("?u=%3Fx%252Damz-d%3Dabc%26b%3D1", "?u=%3Fx%252Damz-d%3DREDACTED%26b%3D1"),
            ("/img?X-Amz-=abc", "/img?X-Amz-=REDACTED"), ("/img?sig=abc", "/img?sig=REDACTED"),
            ("/img?X-Amz=abc", "/img?X-Amz=abc"), ("/img?aX-Amz-Date=abc", "/img?aX-Amz-Date=abc"),
            ("/img?signal=abc", "/img?signal=abc"),
        ] as [(String, String)])
    func `a star at the end of a pattern stands for any end`(text: String, written: String) {
        #expect(SecretParameters(patterns: ["X-Amz-*", "sig"]).redacted(text) == written)
        #expect(SecretParameters(["sig"], patterns: ["x-amz-*"]).redacted(text) == written)
    }

    /// `https://h.example/a.jpg?X-Amz-Signature=abc`.
    private static let opened = "aHR0cHM6Ly9oLmV4YW1wbGUvYS5qcGc_WC1BbXotU2lnbmF0dXJlPWFiYw"
    /// The same in segments of four digits.
    private static let cut = "aHR0/cHM6/Ly9o/LmV4/YW1w/bGUv/YS5q/cGc_/WC1B/bXot/U2ln/bmF0/dXJl/PWFi/Yw"
    /// The same with `HTTPS`, and with `Http`.
    private static let capitals = "SFRUUFM6Ly9oLmV4YW1wbGUvYS5qcGc_WC1BbXotU2lnbmF0dXJlPWFiYw"
    private static let mixed = "SHR0cDovL2guZXhhbXBsZS9hLmpwZz9YLUFtei1TaWduYXR1cmU9YWJj"
    /// `https://h.example/a.jpg?w=1`.
    private static let plain = "aHR0cHM6Ly9oLmV4YW1wbGUvYS5qcGc_dz0x"

    @Test(
        arguments: [
            ("/img?url64=\(opened)&w=2", "/img?url64=REDACTED&w=2"),
            ("/img?url64=\(opened)", "/img?url64=REDACTED"),
            ("/img?url64=\(opened)=&token=a", "/img?url64=REDACTED=&token=REDACTED"),
            ("/S/w:2/\(opened).jpg", "/S/w:2/REDACTED.jpg"), ("/S/\(opened)@x", "/S/REDACTED@x"),
            ("/S/\(opened.prefix(9))/\(opened.dropFirst(9))", "/S/REDACTED"),
            ("/i/unsafe/2x2/b64:\(opened)", "/i/unsafe/2x2/b64:REDACTED"),
            ("/S/\(opened)x?token=a", "/S/REDACTED?token=REDACTED"),
            // Cut before it can be known, its scheme in capitals, and with digits that are escaped.
            ("/S/\(cut).jpg", "/S/REDACTED.jpg"),
            ("/S/wm:1/wmu:\(plain)/a/\(opened.dropFirst())", "/S/wm:1/wmu:\(plain)/REDACTED"),
            ("/S/\(capitals)", "/S/REDACTED"), ("/S/\(mixed)", "/S/REDACTED"),
            ("/img?url64=%61\(opened.dropFirst())&w=2", "/img?url64=REDACTED&w=2"),
            ("/i/unsafe/2x2/b64:\(opened.dropLast())%77", "/i/unsafe/2x2/b64:REDACTED"),
            // Nothing secret.
            ("/img?url64=\(plain)&w=2", "/img?url64=\(plain)&w=2"),
            ("/S/w:2/\(plain).jpg", "/S/w:2/\(plain).jpg"),
            ("/S/aHR0c", "/S/aHR0c"), ("/S/aHR0", "/S/aHR0"), ("/aHR0c/a/aHR0cDov", "/aHR0c/a/aHR0cDov"),
            ("/img?v=x\(opened)", "/img?v=x\(opened)"),
        ] as [(String, String)])
    func `a URL in base64 is not written if it has one of them`(text: String, written: String) {
        #expect(Self.secrets.redacted(text, .target) == written)
    }

    /// `h.example/a.jpg?X-Amz-Signature=abc`.
    private static let bare = "aC5leGFtcGxlL2EuanBnP1gtQW16LVNpZ25hdHVyZT1hYmM"

    @Test(
        arguments: [
            ("/img?url64=\(bare)&w=2", "/img?url64=REDACTED&w=2"),
            ("/i/unsafe/2x2/b64:\(bare)", "/i/unsafe/2x2/b64:REDACTED"),
            ("/i/unsafe/2x2/b64%3A\(bare)", "/i/unsafe/2x2/b64%3AREDACTED"),
            ("/img?sig=\(bare)", "/img?sig=\(bare)"),
        ] as [(String, String)])
    func `a URL in base64 may have no scheme where its place tells what it is`(text: String, written: String)
    {
        #expect(Self.secrets.redacted(text, .target) == written)
    }

    @Test func `a source in base64 may stand right behind a watermark's`() {
        for length in 20...Self.plain.count {
            let before = "/S/wm:1/wmu:\(Self.plain.prefix(length))/"
            #expect(Self.secrets.redacted(before + Self.opened, .target) == before + "REDACTED")
        }
    }

    @Test func `a source in base64 may be in the URL of another Pictor`() {
        let before = "/img?url=https%3A%2F%2Fh%2Fimg%3Furl64%3D"
        #expect(
            Self.secrets.redacted(before + Self.opened + "%26w%3D1", .target) == before + "REDACTED%26w%3D1")
    }

    @Test(.timeLimit(.minutes(1)))
    func `what looks like many URLs in base64 is decoded once`() {
        for piece in ["aHR0c/", "aHR0cDov/a/", "url64=a", "b64:a/", "a/", "/", "aHR0/"] {
            let text = "/" + String(repeating: piece, count: 100_000)
            #expect(Self.secrets.redacted(text, .target) == text)
        }
    }

    @Test func `without names, no parameter is hidden`() {
        #expect(SecretParameters().redacted("/img?token=abc") == "/img?token=abc")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a target of encoded signs and equals is read once`() {
        // If each sign started a search from the beginning, this would take hours.
        let text =
            "/?%" + String(repeating: "25", count: 200_000) + "41" + String(repeating: "=", count: 200_000)
        #expect(Self.secrets.redacted(text) == text)
        #expect(Self.secrets.redacted(text + "&token=a") == text + "&token=REDACTED")
    }

    @Test func `whatever surrounds it, a secret is not written, and nothing else is lost`() {
        var random = SeededRandom(for: "secret parameters")
        let noise = [
            "a", "&", "%26", "%2526", "=", "%3D", "?", "%3F", "%", "%2", ";", "#", "%25", "w=8", "é",
        ]
        for _ in 0..<5_000 {
            func some() -> String {
                (0..<Int.random(in: 0...6, using: &random)).map { _ in noise.randomElement(using: &random)! }
                    .joined()
            }
            let depth = Int.random(in: 0...2, using: &random)
            let mark = ["", "%", "%25"][depth]
            let (and, equals) = depth == 0 ? ("&", "=") : (mark + "26", mark + "3D")
            let (before, after) = (some(), some())
            // The text before must neither be a parameter of that name nor swallow the parameter that is meant.
            let text = before + and + "token" + equals + "s3cr3t" + and + after
            let written = Self.secrets.redacted(text)
            #expect(!written.contains("s3cr3t"), "\(text)")
            #expect(written == before + and + "token" + equals + "REDACTED" + and + after, "\(text)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

/// Each of these URLs is refused; the log and the answer to the client show it.
@Suite("User and password are hidden in URLs that no reader takes")
struct UserInformationTests {
    private static let secrets = SecretParameters(["token"])

    @Test(
        arguments: [
            ("/img?url=h/a&default=u:p@h/a&w=8", "/img?url=h/a&default=REDACTED@h/a&w=8"),
            ("/img?url=h/a&wm=u:p@h/a.png", "/img?url=h/a&wm=REDACTED@h/a.png"),
            ("/?url=h/a&errorredirect=u%3Ap%40h%2Fa", "/?url=h/a&errorredirect=REDACTED%40h%2Fa"),
            ("/img?url=h/a&wm=logo&text=a@b", "/img?url=h/a&wm=logo&text=a@b"),
            ("/img?url=h/a&default=1&text=a@b", "/img?url=h/a&default=1&text=a@b"),
        ] as [(String, String)])
    func `without a scheme, behind each name of a parameter that takes a URL`(text: String, written: String) {
        #expect(Self.secrets.redacted(text, .target) == written)
    }

    @Test(
        arguments: [
            ("/img?url=https://u:p/q@h/a&w=8", "/img?url=https://REDACTED@h/a&w=8"),
            ("/img?url=https://u:p?q@h/a", "/img?url=https://REDACTED@h/a"),
            ("/img?url=https://u:p#q@h/a", "/img?url=https://REDACTED@h/a"),
            ("/img?url=https://u:p&q@h/a&w=8", "/img?url=https://REDACTED@h/a&w=8"),
            ("/img?url=https%3A%2F%2Fu%3Ap%2Fq%40h%2Fa", "/img?url=https%3A%2F%2FREDACTED%40h%2Fa"),
            ("/img?url=https:/u:p/q@h/a", "/img?url=https:/REDACTED@h/a"),
            ("/img?url=https://u:123456/q@h/a", "/img?url=https://REDACTED@h/a"),
            ("/img?url=u:p/q@h/a", "/img?url=REDACTED@h/a"), ("/img?url=u:p&q@h/a", "/img?url=REDACTED@h/a"),
            ("/img?url=//u:p/q@h/a", "/img?url=//REDACTED@h/a"),
            ("/img?url=ssl:u:p/q@h/a", "/img?url=REDACTED@h/a"),
            ("/img?wm=u:p/q@h/a", "/img?wm=REDACTED@h/a"),
            ("/S/plain/https://u:p/q@h/a", "/S/plain/https://REDACTED@h/a"),
            ("/S/plain/u:p/q@h/a.jpg", "/S/plain/REDACTED@h/a.jpg"),
            (
                "/unsafe/filters:watermark(u:p/q@h/a,0,0)/h/a",
                "/unsafe/filters:watermark(REDACTED@h/a,0,0)/h/a"
            ),
        ] as [(String, String)])
    func `with a password of signs that end an authority`(text: String, written: String) {
        #expect(Self.secrets.redacted(text, .target) == written)
    }

    @Test(arguments: [
        "/img?url=https://h:8080/a@2x.png", "/img?url=https://h:/a@2x.png", "/img?url=h:8080/a@2x.png",
        "/img?url=https://[::1]:8080/a@2x.png", "/img?url=https%3A%2F%2F%5B%3A%3A1%5D%3A80%2Fa@2x.png",
        "/img?url=ssl:h/a@2x.png&wm=ssl%3Ah:80%2Fa@2x", "/img?url=ssl:[::1]:80/a@2x.png",
        "/img?url=https://h:8080&text=a@b",
        "/img?url=https://h:8080/a&text=a:b/c@d", "/S/plain/h:8080/a@2x.png",
        "/S/rs:fit:8:8/plain/https://h/a@2x.png", "/S/plain/local:///a@2x.png", "/img?url=s3://b/a@2x.png",
    ])
    func `host and port are no user and password`(text: String) {
        #expect(Self.secrets.redacted(text, .target) == text)
    }

    @Test(
        arguments: [
            ("/img?url=https://u:p\u{FF20}h/a", "/img?url=https://REDACTED\u{FF20}h/a"),
            ("/img?url=https%3A%2F%2Fu%3Ap%EF%BC%A0h%2Fa", "/img?url=https%3A%2F%2FREDACTED%EF%BC%A0h%2Fa"),
            ("/img?url=u:p%EF%B9%ABh/a", "/img?url=REDACTED%EF%B9%ABh/a"),
            ("/S/plain/u:p\u{FF20}h/a.jpg", "/S/plain/REDACTED\u{FF20}h/a.jpg"),
            ("/img?url=https://h/%EF%BC%A0a", "/img?url=https://h/%EF%BC%A0a"),
            ("/img?url=a%EF%BC", "/img?url=a%EF%BC"), ("/img?url=a%EF", "/img?url=a%EF"),
        ] as [(String, String)])
    func `before what becomes an "@" in the name of a host`(text: String, written: String) {
        #expect(Self.secrets.redacted(text, .target) == written)
    }

    @Test(
        arguments: [
            ("watermark(u:p@h/a.png,0,0)/h/a", "watermark(REDACTED@h/a.png,0,0)/h/a"),
            ("watermark(u:p@h,0,0):blur(2)/h/a", "watermark(REDACTED@h,0,0):blur(2)/h/a"),
            ("blur(2):watermark(u%3Ap%40h%2Fa,0,0)/h/a", "blur(2):watermark(REDACTED%40h%2Fa,0,0)/h/a"),
            ("watermark(https://u:p@h/a,0,0)/h/a", "watermark(https://REDACTED@h/a,0,0)/h/a"),
            ("watermark(a@2x.png,0,0)/h/a", "watermark(a@2x.png,0,0)/h/a"),
            ("watermark(https://h:80/a@2x.png,0,0)/h/a", "watermark(https://h:80/a@2x.png,0,0)/h/a"),
            ("label(a:b,0,0)/h/a@2x.png", "label(a:b,0,0)/h/a@2x.png"),
        ] as [(String, String)])
    func `in the filters of thumbor and imagor`(filters: String, written: String) {
        #expect(Self.secrets.redacted("/unsafe/filters:" + filters, .target) == "/unsafe/filters:" + written)
        #expect(Self.secrets.redacted("filters:" + filters) == "filters:" + written)
    }

    @Test(
        arguments: [
            ("cannot read https://u:p/q@h/a: see c@d", "cannot read https://REDACTED@h/a: see c@d"),
            (#"{"url":"https://u:p/q@h/a","to":"a@b"}"#, #"{"url":"https://REDACTED@h/a","to":"a@b"}"#),
        ] as [(String, String)])
    func `and in a message no further than their word`(text: String, written: String) {
        #expect(Self.secrets.redacted(text) == written)
    }

    @Test(arguments: [
        "cannot read https://h:443: see a/b and c@d", "https://h:80 redirects to https://i/a@2x.png",
        #"["https://h:80","https://i/a@2x.png"]"#, #"{"url":"https://h:80","to":"/a@b"}"#,
        "refused (404 from: https://h/a@2x.png)", "refused (by: the mailer of a@b)",
    ])
    func `words of a message that stand between two URLs are no password`(text: String) {
        #expect(Self.secrets.redacted(text) == text)
    }

    @Test(.timeLimit(.minutes(1)))
    func `what looks like many of them is read once`() {
        let pieces = [
            "(a:", "(a:b/", "%28a:b%2F", "://a:b/", "://a:b/\"", "wm=a:b&", "wm=ssl:", "default=a:b/",
            "/plain/a:b", "%EF",
        ]
        for piece in pieces {
            let text = "/" + String(repeating: piece, count: 30_000)
            #expect(Self.secrets.redacted(text, .target) == text)
            #expect(Self.secrets.redacted(text) == text)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `what is encoded ever more often is read a few times`() {
        let deep = (0..<600).map { depth in
            let percent = "%" + String(repeating: "25", count: depth)
            return percent + "3D" + percent + "2F" + percent + "2F"
        }
        let text = "/?" + deep.joined() + String(repeating: "%EF", count: 300_000)
        #expect(Self.secrets.redacted(text, .target) == text)
        #expect(Self.secrets.redacted(text) == text)
    }
}

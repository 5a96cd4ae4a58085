// SPDX-License-Identifier: Apache-2.0

import HTTP1

/// Message heads and the result that each must have, with the rule.
enum Messages {
    static let good = [
        "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        "GET /img?url=https://a.example/%C3%A9.jpg&w=300 HTTP/1.1\r\nhOST:\texample.com:8080 \t\r\nAccept: image/avif,image/webp\r\n\r\n",
        "HEAD /x HTTP/1.0\r\n\r\n",
        "GET /x HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://Example.com:81/a?b HTTP/1.1\r\nHost: other\r\n\r\n",
        "GET HTTPS://example.com HTTP/1.1\r\nHost: x\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\nExpect: 100-Continue\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\nX: caf\u{E9} \u{FF}\r\nEmpty:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [2001:db8::1]:443\r\nConnection: foo, CLOSE\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nAccept: a\r\nAccept: b\r\nCookie: 0123456789012345678901234567890123456789\r\n\r\n",
        // RFC 9110 §2.5: a higher minor version is processed as the highest that is known.
        "GET / HTTP/1.2\r\nHost: x\r\n\r\n",
        // §9.1: methods are case-sensitive, so this is another method.
        "get / HTTP/1.1\r\nHost: x\r\n\r\n",
        // §8.6: one or more digits; §5.5: surrounding white space is not part of the value.
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \t0000000000000005 \r\n\r\n",
        // §7.8: the offer of another protocol may be ignored.
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n",
        // RFC 9112 §3.2.1: a path may begin with an empty segment; it is no authority.
        "GET //example.com/ HTTP/1.1\r\nHost: x\r\n\r\n",
        // UTF-8 after the question mark.
        "GET /?url=caf\u{C3}\u{A9}/\u{E3}\u{81}\u{82}\u{F0}\u{9F}\u{98}\u{80} HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://x/a?\u{C3}\u{A9} HTTP/1.1\r\nHost: x\r\n\r\n",
    ]

    static let bad = lines + lengths + unknownCodings + wrongCodings

    private static let lines: [(String, MessageError)] = [
        // RFC 9112 §2.2: no bare CR or LF, no white space before the first field.
        ("GET / HTTP/1.1\nHost: x\n\n", .badVersion),
        ("\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", .badRequestLine),
        ("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", .badRequestLine),
        ("GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\n Host: x\r\n\r\n", .foldedField),
        // §3: one space between the parts, a token, a version that is known.
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", .badRequestLine),
        ("GET /\r\n", .badRequestLine),
        (" / HTTP/1.1\r\n", .badRequestLine),
        ("G\u{0}T / HTTP/1.1\r\n", .badRequestLine),
        ("GET / HTTP/1.1 \r\n", .badVersion),
        ("GET / http/1.1\r\n", .badVersion),
        ("GET / HTTP/1.10\r\n", .badVersion),
        ("GET / HTTP/0.9\r\n", .badVersion),
        ("GET / HTTP/2.0\r\n", .versionNotSupported),
        ("GET / HTTP/01.1\r\n", .badVersion),
        ("GET / HTTP/1,1\r\n", .badVersion),
        ("GET / HTTP/1.\u{0}\r\n", .badVersion),
        ("GET / HTTPS/1.1\r\n", .badVersion),
        ("GET / HTTP/1.1\rX", .badRequestLine),
        ("GET / HTTP/1.1\r\r\n", .badRequestLine),
        ("GET\t/ HTTP/1.1\r\n", .badRequestLine),
        ("GET /\tHTTP/1.1\r\n", .badTarget),
        ("GET /\u{B}HTTP/1.1\r\n", .badTarget),
        // RFC 9113 §3.4: the preface of HTTP/2 is made to be refused.
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .badTarget),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZ / HTTP/1.1\r\n", .methodNotImplemented),
        ("CONNECT x:443 HTTP/1.1\r\n", .methodNotImplemented),
        // §3.2: the four forms.
        ("GET * HTTP/1.1\r\n", .badTarget),
        ("GET x:80 HTTP/1.1\r\n", .badTarget),
        ("GET relative HTTP/1.1\r\n", .badTarget),
        ("GET http:/// HTTP/1.1\r\n", .badTarget),
        ("GET http://:80/ HTTP/1.1\r\n", .badTarget),
        ("GET http://u@h/ HTTP/1.1\r\n", .badTarget),
        ("GET http://h?q HTTP/1.1\r\n", .badTarget),
        ("GET /a#b HTTP/1.1\r\n", .badTarget),
        ("GET http://h/#b HTTP/1.1\r\n", .badTarget),
        ("GET ftp://h/ HTTP/1.1\r\n", .badTarget),
        ("GET http:/h/ HTTP/1.1\r\n", .badTarget),
        ("GET http:h HTTP/1.1\r\n", .badTarget),
        ("HEAD * HTTP/1.1\r\n", .badTarget),
        ("OPTIONS ** HTTP/1.1\r\n", .badTarget),
        ("GET ?q HTTP/1.1\r\n", .badTarget),
        ("GET \\ HTTP/1.1\r\n", .badTarget),
        ("GET /\u{0} HTTP/1.1\r\n", .badTarget),
        ("GET /\u{7F} HTTP/1.1\r\n", .badTarget),
        ("GET /\u{E9} HTTP/1.1\r\n", .badTarget),
        // Bytes that are not ASCII are allowed only in a query, and only as UTF-8.
        ("GET /\u{C3}\u{A9} HTTP/1.1\r\n", .badTarget),
        ("GET /\u{C3}\u{A9}? HTTP/1.1\r\n", .badTarget),
        ("GET \u{C3}\u{A9} HTTP/1.1\r\n", .badTarget),
        ("GET http://\u{C3}\u{A9}/?a HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{E9} HTTP/1.1\r\n", .badTarget),
        ("GET /?a\u{C3} HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{C0}\u{AF} HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{ED}\u{A0}\u{80} HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{F4}\u{90}\u{80}\u{80} HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{C3}\u{A9}\u{0} HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{C3}\u{A9}\u{7F} HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{C3}\u{A9}#a HTTP/1.1\r\n", .badTarget),
        ("GET /?\u{C3}\u{A9}\r\n", .badRequestLine),
        ("GET ?\u{C3}\u{A9} HTTP/1.1\r\n", .badTarget),
        // §3.2, RFC 9110 §7.2: one Host, and a valid one.
        ("GET / HTTP/1.1\r\n\r\n", .missingHost),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", .badHost),
        ("GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a..b\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: a%4\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: [::1%25lo]\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: u@x\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: x, y\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: x?y\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: x#y\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: x\\y\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: x:80:80\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: x:-1\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: http://x\r\n\r\n", .badHost),
        ("GET / HTTP/1.1\r\nHost: caf\u{E9}\r\n\r\n", .badHost),
        ("GET http://x/ HTTP/1.1\r\nHost: a b\r\n\r\n", .badHost),
        ("GET http://x/ HTTP/1.1\r\n\r\n", .missingHost),
        // §5: names are tokens, no space before the colon, no folding, no control bytes.
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\n: x\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nH(o)st: x\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA\u{0}: b\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA\t: b\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\n\u{E9}: b\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\n\rA: b\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", .foldedField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{0}\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: 01234567\u{1F}89\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{7F}\r\n\r\n", .badField),
        // RFC 9110 §8.6, RFC 9112 §6.3 item 5: one number.
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", .badContentLength),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", .badContentLength),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\n", .badContentLength),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n", .badContentLength),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\n", .badContentLength),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\n", .badContentLength),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\n", .badContentLength),
        // RFC 9112 §6.1, §6.3 items 3 and 4: chunked, once, last, alone.
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", .unknownTransferCoding),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .unknownTransferCoding),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", .badTransferEncoding),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", .badTransferEncoding),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n", .badTransferEncoding),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            .badTransferEncoding
        ),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            .badTransferEncoding
        ),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
            .badTransferEncoding
        ),
        ("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", .badTransferEncoding),
        // RFC 9110 §10.1.1.
        ("GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n", .expectationFailed),
    ]

    private static func post(_ field: String) -> String { "POST / HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n" }

    /// RFC 9110 §8.6: digits and nothing else.
    private static let lengths: [(String, MessageError)] = [
        "3,", ",3", "3 3", "3;3", "3.0", "1e1", "0b1", "-0", "3_0", "\"3\"", "\u{B2}", "3\u{A0}", "3a", "inf",
    ].map { (post("Content-Length: \($0)"), .badContentLength) }

    /// RFC 9112 §7: `identity` is no longer a coding; parameters and quotes make an unknown coding.
    private static let unknownCodings: [(String, MessageError)] = [
        "identity", "identity, chunked", "xchunked", "chunkedx", "chunked;q=1", "\"chunked\"", ", chunked",
        "chunked chunked", "trailers", "deflate, gzip, chunked",
    ].map { (post("Transfer-Encoding: \($0)"), .unknownTransferCoding) }

    /// §6.3 item 4, §7.1: chunked must be last, and occur once.
    private static let wrongCodings: [(String, MessageError)] = [
        "chunked,", "chunked, identity", "chunked,\tCHUNKED", ",", "gzip,", "chunked, gzip, chunked",
    ].map { (post("Transfer-Encoding: \($0)"), .badTransferEncoding) }

    static var all: [String] { good + bad.map(\.0) }
}

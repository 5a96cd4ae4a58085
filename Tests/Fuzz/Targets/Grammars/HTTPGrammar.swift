// SPDX-License-Identifier: Apache-2.0

/// Messages of HTTP/1 whose words are right and whose order, numbers and ends are not.
enum HTTPGrammar {
    private static let dates = [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Fri, 31 Dec 9999 23:59:60 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "Thu, 29 Feb 2100 00:00:00 GMT",
        "Monday, 29-Feb-00 00:00:00 GMT", "0", "-1", "",
    ]

    private static let directives = [
        "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error", "no-store", "no-cache", "private",
        "public",
        "must-revalidate", "proxy-revalidate", "must-understand", "immutable", "min-fresh", "max-stale",
        "only-if-cached", "x",
    ]

    static func directives(_ choices: inout Choices) -> String {
        choices.text(upTo: 6) { choices in
            let name = choices.pick(directives)
            let quote = choices.pick(["", "", "\"", "\\\""])
            let value =
                choices.chance(70)
                ? "=" + quote + choices.pick([choices.oddText(), "set-cookie", "a, b"]) + quote : ""
            return name + value + choices.pick([", ", ",", ";", ",,", " ", ";a=1, ", "=(1 2), "])
        }
    }

    /// A field of a response, of those that decide what a cache does.
    static func field(_ choices: inout Choices) -> String {
        let name = choices.pick([
            "Cache-Control", "CDN-Cache-Control", "Expires", "Date", "Age", "Last-Modified", "ETag", "Vary",
            "Pragma",
            "Retry-After", "Location", "Content-Length", "Content-Encoding", "Content-Range", "Accept-Ranges",
            "Cache-Tag",
            "Surrogate-Key", "If-None-Match", "If-Modified-Since", "If-Match", "Range", "Accept",
            "Content-Type",
        ])
        let value: String =
            switch name {
            case "Cache-Control", "CDN-Cache-Control", "Pragma": directives(&choices)
            case "Expires", "Date", "Last-Modified", "If-Modified-Since":
                choices.chance(80) ? choices.pick(dates) : choices.oddText()
            case "ETag", "If-None-Match", "If-Match":
                choices.pick([
                    "\"a\"", "W/\"a\"", "*", "\"a\", W/\"b\"", "\"", "W/", "a", "\"\\\"", "\"a,\"b",
                ])
            case "Location": choices.text(upTo: 4) { URLGrammar.part(&$0) }
            case "Content-Range":
                "bytes \(choices.oddText())-\(choices.oddText())/\(choices.oddText())"
            case "Range": "bytes=\(choices.oddText())-\(choices.oddText())"
            case "Accept": "image/webp;q=\(choices.oddText()), image/avif, */*;q=\(choices.oddText())"
            case "Vary":
                choices.text(upTo: 3) { $0.pick(["Accept", "*", ", ", ",", "\"", "accept-encoding"]) }
            case "Cache-Tag", "Surrogate-Key":
                choices.text(upTo: 4) { $0.pick(["a", "b c", ",", " ", "\u{E9}"]) }
            default: choices.oddText()
            }
        return name + choices.pick([": ", ":", ":\t", " : ", ": "]) + value
    }

    private static func end(_ choices: inout Choices) -> String {
        choices.chance(95) ? "\r\n" : choices.pick(["\n", "\r", "\r\n ", "\r\n\t", "\r\r\n", "\0\r\n"])
    }

    static func response(_ choices: inout Choices) -> [UInt8] {
        var text = ""
        for _ in 0...choices.number(below: 2) {
            text += choices.pick(["HTTP/1.1 ", "HTTP/1.0 ", "HTTP/2 ", "HTTP/1.1", "HTTP/"])
            text += choices.pick([
                "200", "304", "302", "100", "103", "206", "404", "503", "429", "999", "1", "20", "2000",
                "-20",
            ])
            text += choices.pick([" OK", "", " "]) + end(&choices)
            for _ in 0..<choices.number(below: 8) { text += field(&choices) + end(&choices) }
            text += end(&choices)
        }
        return Array(text.utf8)
    }

    static func request(_ choices: inout Choices) -> [UInt8] {
        var text = ""
        for _ in 0...choices.number(below: 2) { text += oneRequest(&choices) }
        return Array(text.utf8)
    }

    private static func oneRequest(_ choices: inout Choices) -> String {
        var text =
            choices.pick(["GET", "HEAD", "POST", "OPTIONS", "CONNECT", "get", "", "PATCH"])
            + choices.pick([" ", " ", "  ", "\t"])
        text += choices.pick([
            "/", "*", "/img?url=a", "http://a.example/x", "https://[::1]:1/", "//", "http://", "/%zz?", "a:1",
        ])
        text +=
            choices.pick([" HTTP/1.1", " HTTP/1.1", " HTTP/1.0", " HTTP/2.0", " HTTP/1.9", " http/1.1", ""])
            + end(&choices)
        if choices.chance(90) {
            text +=
                "Host: " + choices.pick(["a", "a:80", "[::1]:443", "a:99999", "", "a,b", "%61"])
                + end(&choices)
        }
        for _ in 0..<choices.number(below: 5) {
            text += choices.pick([
                "Content-Length: \(choices.oddText())", "Transfer-Encoding: chunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: chunked, chunked", "Transfer-Encoding:\u{B}chunked",
                "Connection: close, keep-alive",
                "Expect: 100-continue", "Content-Length: 3", "Content-Length: 3, 3",
                "Transfer-Encoding : chunked", field(&choices),
            ])
            text += end(&choices)
        }
        return text + end(&choices) + body(&choices)
    }

    private static func body(_ choices: inout Choices) -> String {
        if choices.chance(40) { return choices.pick(["", "abc", "abcd", "0\r\n\r\n"]) }
        let chunks = choices.text(upTo: 4) { choices in
            let size = choices.pick([
                "3", "03", "0x3", "3;a=\"b\\\"c\"", "3 ", "ffffffffffffffff", "10000000000000000", "-1", "3;",
                "+3", "fe",
            ])
            return size + end(&choices) + choices.pick(["abc", "ab", "abcd", ""]) + end(&choices)
        }
        let trailer = choices.pick(["", "", "X: y\r\n", "Content-Length: 1\r\n", "X\r\n"])
        return chunks + "0" + end(&choices) + trailer + end(&choices)
    }

    /// Lines of what proxies say, or a header in front of a connection.
    static func hops(_ choices: inout Choices) -> [UInt8] {
        switch choices.number(below: 4) {
        case 0: return Array(proxyLine(&choices).utf8)
        case 1: return proxyBlock(&choices)
        default: return Array(choices.text(upTo: 6) { hop(&$0) }.utf8)
        }
    }

    private static func address(_ choices: inout Choices) -> String {
        choices.pick([
            "10.0.0.1", "203.0.113.9", "2001:db8::1", "[2001:db8::1]", "::", "::ffff:1.2.3.4", "1.2.3",
            "1.2.3.256", "01.2.3.4",
            "[::1", "::1]", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "1::2::3", "::1.2.3.4", "fe80::1%lo",
            "unknown", "_x", "",
        ])
    }

    private static func hop(_ choices: inout Choices) -> String {
        let port = choices.chance(30) ? ":" + choices.pick(["80", "0", "65536", "_p", "", "00080"]) : ""
        let quote = choices.pick(["", "\"", "\"", "\\"])
        let name = choices.pick(["for=", "For=", "by=", "proto=", "", "for"])
        return name + quote + address(&choices) + port + quote
            + choices.pick([", ", ";", ",", "\n", ";;", " "])
    }

    private static func proxyLine(_ choices: inout Choices) -> String {
        let words = [
            choices.pick(["TCP4", "TCP6", "UNKNOWN", "TCP5"]), address(&choices), address(&choices),
            choices.oddText(),
            choices.oddText(),
        ]
        return choices.pick(["PROXY ", "PROXY", "PROXZ "])
            + words.joined(separator: choices.pick([" ", " ", "  "]))
            + end(&choices)
    }

    private static func proxyBlock(_ choices: inout Choices) -> [UInt8] {
        [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
            + [choices.pick([0x21, 0x20, 0x22]), choices.pick([0x11, 0x21, 0x31, 0x00, 0x12, 0xFF])]
            + (choices.chance(60)
                ? [0, choices.pick([12, 36, 216, 0, 11])] : choices.oddBytes(2, bigEndian: true))
            + choices.bytes(choices.number(below: 250))
    }
}

/// URLs that several programs read in several ways.
enum URLGrammar {
    static func part(_ choices: inout Choices) -> String {
        switch choices.number(below: 4) {
        case 0:
            choices.pick([
                "http://", "https://", "//", "ssl:", "", "HTTP:", "ftp://", "https:/", "http:\\\\",
                "file:///", "javascript:", "file://photos", "s3://bucket", "azure://c",
                "?sv=1&sig=abcdefgh%2b", "FILE://", "s3:",
            ])
        case 1:
            choices.pick([
                "a.example", "127.0.0.1", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "a..b",
                "b\u{FC}cher.example",
                "xn--bcher-kva.example", "\u{FF41}.example", "a\u{3002}b", "%61.example", "a_b", "-",
                "localhost", "0", "1.2.3.4.5",
                "999999999999999999999", "0x", "08", "a.1", "\u{1E9E}.de", "[fe80::1%25lo]",
                "[1:2:3:4:5:6:7:8:9]",
            ])
        case 2:
            choices.pick([
                ":80", ":443", ":0", ":65536", ":", ":+80", "@", "user@", ":99999999999999999999", ":080",
            ])
        default:
            choices.pick([
                "/", "/a/../b", "/%2e%2e/", "/.", "/..", "?", "?a=b", "#c", "/%", "/%zz", "/ ", "\\",
                "/\u{E9}", "//", ";x", "/%00",
                "/a%2", "\t", "/..;/", "/%252e%252e/",
            ])
        }
    }

    static func url(_ choices: inout Choices) -> [UInt8] { Array(choices.text(upTo: 8) { part(&$0) }.utf8) }
}

/// JSON of the right members and the wrong everything else.
enum JSONGrammar {
    static func body(_ choices: inout Choices) -> [UInt8] {
        if choices.chance(10) {
            let deep = choices.number(below: 2_000)
            return Array((String(repeating: choices.pick(["[", "{\"a\":"]), count: deep)).utf8)
        }
        let names = [
            "url", "prefix", "host", "tag", "all", "soft", "average", "thumbhash", "", "x", "_", "a_b", "__",
        ]
        let members = (0..<choices.number(below: 5)).map { _ in
            "\"\(choices.pick(names))\":\(value(&choices))"
        }
        return Array("{\(members.joined(separator: choices.pick([",", ",", " "])))}".utf8)
    }

    private static func value(_ choices: inout Choices) -> String {
        switch choices.number(below: 4) {
        case 0:
            choices.pick([
                "true", "false", "null", "[]", "{}", "\"\"", "\"a\"", "\"\\ud800\"", "\"\\u0000\"",
                "\"#00ff00\"", "\"AAAA\"",
                "\"\u{1F600}\"", "\"a.example:80\"", "\"[::1]\"", "\"/\"",
            ])
        case 1: "\"" + choices.text(upTo: 5) { URLGrammar.part(&$0).replacing("\\", with: "\\\\") } + "\""
        default: choices.oddText()
        }
    }
}

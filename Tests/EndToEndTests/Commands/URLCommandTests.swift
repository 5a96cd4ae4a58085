// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("`pictor url` makes, checks and explains URLs without a daemon", .endToEnd)
struct URLCommandTests {
    private let environment = ["PICTOR_SIGNATURES_KEYS": "an-example-key-that-nobody-may-use"]

    private func url(_ arguments: String..., environment: [String: String]? = nil) throws -> PictorCommand {
        try PictorCommand(["url"] + arguments, environment: environment ?? self.environment)
    }

    @Test func `what it makes, it finds good, until the end`() throws {
        let made = try url(
            "make", "--base", "https://img.example.com/pictures/", "--until", "2000000000",
            "https://host/a b+c.jpg", "w=200", "flip", "filename=a.b", "bg=#fff")
        let good = try #require(made.lines.first)
        let query =
            "bg=%23fff&exp=2000000000&filename=a.b&flip&url=https%3A%2F%2Fhost%2Fa%20b%2Bc.jpg&w=200&sig="
        #expect(good.dropLast(43) == "https://img.example.com/pictures/img?\(query)", "\(made.error)")
        #expect(good.suffix(43).wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
        let base = "https://img.example.com/pictures"
        let check = try url("check", "--base", base, "--at", "1999999999", good)
        #expect(check.status == 0)
        #expect(check.output == "signed, and good until 2000000000, 2033-05-18T03:33:20Z\n")
        let over = try url("check", "--base", base, "--at", "2000000000", good)
        #expect(over.status == 1 && over.error.contains("url_expired"))
        for (arguments, words) in [
            ([good], "not_found"),
            (["--base", base, good.replacing("w=200", with: "w=201")], "signature_wrong"),
            (["/img?url=a"], "signature_missing: This URL has no signature, and the endpoint native"),
            (["/other?url=a"], "not_found"),
            (["/img?url=a&exp=x"], "bad_parameter"),
        ] {
            let check = try PictorCommand(["url", "check"] + arguments, environment: environment)
            #expect(check.status == 1 && check.error.contains(words), "\(arguments): \(check.error)")
            #expect(check.output.isEmpty)
        }
    }

    @Test func `a name behind the path is signed with it`() throws {
        let made = try url("make", "--name", "photo.jpg", "https://host/a.jpg", "w=200")
        let good = try #require(made.lines.first)
        #expect(good.hasPrefix("/img/photo.jpg?url=https%3A%2F%2Fhost%2Fa.jpg&w=200&sig="), "\(made.error)")
        #expect(try url("check", good).status == 0)
        for other in ["/img?", "/img/photo.png?"] {
            let check = try url("check", good.replacing("/img/photo.jpg?", with: other))
            #expect(check.status == 1 && check.error.contains("signature_wrong"))
        }
    }

    @Test(arguments: [":", ","])
    func `options of imgproxy may stand as in its URLs`(separator: String) throws {
        let imgproxy = [
            "PICTOR_IMGPROXY_ENABLED": "true", "PICTOR_IMGPROXY_KEYS": "00ff:aabb",
            "PICTOR_IMGPROXY_ARGUMENTS_SEPARATOR": separator,
        ]
        let make = ["make", "--dialect", "imgproxy", "https://host/a.jpg"]
        let options = ["rs:fill:30:40", "w:60", "w:50", "fn:a=b"].map { $0.replacing(":", with: separator) }
        let plain = try PictorCommand(["url"] + make + options, environment: imgproxy)
        let pairs = options.map { $0.replacing(separator, with: "=", maxReplacements: 1) }
        let named = try PictorCommand(["url"] + make + pairs, environment: imgproxy)
        let good = try #require(plain.lines.first, "\(plain.error)")
        #expect(good.contains("/\(options[1])/\(options[2])/"), "the order counts: \(good)")
        #expect(named.lines.first == good, "\(named.error)")
        #expect(try url("check", good, environment: imgproxy).status == 0)
        let end = try PictorCommand(
            ["url"] + make + ["exp\(separator)2000000000"], environment: imgproxy)
        #expect(end.status == 1 && end.error.contains("The parameter exp"), "\(end.error)")
    }

    @Test func `it takes keys from a file, and times as durations`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/keys"
        try "another-key-that-nobody-may-use-x\nan-example-key-that-nobody-may-use\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        let good = try #require(try url("make", "--expires", "1h", "https://host/a.jpg").lines.first)
        let end = try #require(good.firstMatch(of: /exp=([0-9]+)/).flatMap { Int($0.1) })
        #expect((3_500...3_700).contains(end - Int(Date.now.timeIntervalSince1970)))
        #expect(try url("check", "--key-file", path, good, environment: [:]).status == 0)
        // Rounded up, and behind the second that has begun: it is not over before it is printed.
        let began = Int(Date.now.timeIntervalSince1970)
        let brief = try #require(try url("make", "--expires", "500ms", "https://host/a.jpg").lines.first)
        #expect(try #require(brief.firstMatch(of: /exp=([0-9]+)/).flatMap { Int($0.1) }) > began + 1)
        let other = try #require(try url("make", "--key-file", path, "https://host/a.jpg").lines.first)
        #expect(try url("check", other).status == 1, "the first key of the file has signed")
    }

    @Test(arguments: [
        (["https://host/a.jpg", "w=0"], 1, "w"), (["https://host/a.jpg", "blurr=5"], 1, "blurr"),
        (["--name", "photo", "https://host/a.jpg"], 1, "a dot within it"),
        (["--name", "a.jpg", "--dialect", "weserv", "https://host/a.jpg"], 1, "for native URLs"),
        (["ftp://host/a.jpg"], 1, "bad_url"), (["https://host/a.jpg", "sig=x"], 1, "sig"),
        (["https://host/a.jpg", "w=1", "width=2"], 1, "more than once"),
        (["--expires", "soon", "https://host/a.jpg"], 64, "--expires"),
        (["--expires", "1h", "--until", "5", "https://host/a.jpg"], 64, "--until"),
        (["--dialect", "img", "https://host/a.jpg"], 64, "dialect"), ([], 64, "source"),
        (["--base", "https://img.example.com/?a", "https://host/a.jpg"], 64, "--base must be"),
        (["--base", "https://img.example.com/#", "https://host/a.jpg"], 64, "--base must be"),
        (["--dialect", "next", "https://host/a.jpg", "w=30"], 1, "(quality) is required"),
        (["--key-file", "/nowhere", "https://host/a.jpg"], 78, "/nowhere"),
        // Milliseconds, by mistake.
        (["--until", "1900000000000", "https://host/a.jpg"], 1, "1…12 digits"),
        (["--until=-5", "https://host/a.jpg"], 1, "1…12 digits"),
        (["--until", "0", "https://host/a.jpg"], 1, "url_expired"),
    ])
    func `what its dialect would refuse is not signed`(arguments: [String], status: Int32, words: String)
        throws
    {
        let command = try PictorCommand(["url", "make"] + arguments, environment: environment)
        #expect(command.status == status && command.error.contains(words), "\(command.error)")
        #expect(command.output.isEmpty)
    }

    @Test(arguments: ["check", "explain"], ["9223372036854775807", "-9223372036854775808", "1900000000000"])
    func `a moment that no URL can end at is a wrong argument`(command: String, moment: String) throws {
        let wrong = try url(command, "--at=\(moment)", "/img?url=a.example/b&exp=5")
        #expect(wrong.status == 64 && wrong.error.contains("--at must be"), "\(wrong.error)")
    }

    @Test(arguments: [
        ("/cdn-cgi/image/width=80/https://host/a.jpg", "cloudflare.enabled"),
        ("/unsafe/30x20/https://host/a.jpg", "thumbor.path, or imagor.enabled"),
        ("/thumbor/unsafe/30x20/https://host/a.jpg", "thumbor.enabled"),
        ("/imagor/unsafe/30x20/https://host/a.jpg", "imagor.enabled"),
        ("/other?url=a.example/b", "--base"),
    ])
    func `what keeps a URL from being read is told`(target: String, words: String) throws {
        for command in ["check", "explain"] {
            let refused = try url(command, target)
            #expect(refused.status == 1 && refused.error.contains("not_found"), "\(refused.error)")
            #expect(refused.error.contains(words), "\(refused.error)")
        }
    }

    @Test func `without a key nothing is signed`() throws {
        let command = try url("make", "https://host/a.jpg", environment: [:])
        #expect(command.status == 1 && command.error.contains("no_key"))
    }

    @Test func `explaining tells what is asked for, what holds, and the signature's state`() throws {
        let good = try #require(
            try url("make", "--until", "2000000000", "https://HOST/a.jpg", "width=200").lines.first)
        let lines = try url("explain", "--at", "5", good).lines
        for line in [
            "dialect    native", "source     https://host/a.jpg", "recipe     w=200", "set        w=200",
            "signature  signed: The signature is right.", "ends       2000000000, 2033-05-18T03:33:20Z",
            "signed is  /img?exp=2000000000&url=https%3A%2F%2FHOST%2Fa.jpg&width=200",
            "keys       original https://host/a.jpg",
        ] { #expect(lines.contains(line), "\(line)\n\(lines.joined(separator: "\n"))") }
        #expect(lines.contains { $0.hasPrefix("defaults   ") && $0.contains("fit=inside") })
        for (target, state) in [
            (good.replacing("200&", with: "201&"), "signature_wrong"), ("/img?url=a.example/b", "open"),
            ("/img?url=a.example/b&exp=1", "url_expired"), ("/?url=a.example/b&w=5", "open"),
        ] {
            let text = try url("explain", "--json", target).output
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect((object["signature"] as? [String: Any])?["state"] as? String == state, "\(text)")
            #expect(object["defaults"] as? [String: String] != nil)
        }
        let refused = try url("explain", "/img?url=a.example/b&w=0")
        #expect(refused.status == 1 && refused.error.contains("bad_parameter"))
    }
}

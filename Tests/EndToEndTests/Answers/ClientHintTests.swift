// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("A picture is as large as its client hints at, where the settings read hints", .endToEnd)
struct ClientHintTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(600, 300)) }
    private static let flags = [
        "--client-hints-enabled", "true", "--client-hints-widths", "100,200,400",
        "--client-hints-default-width", "150",
    ]

    private func daemon(_ more: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(Self.flags + more)
    }

    @Test func `w=auto is the next step up from what the client hints at`() throws {
        let daemon = try daemon()
        for (fields, width) in [
            ([("Sec-CH-Width", "100")], 100), ([("Sec-CH-Width", "101")], 200), ([("Width", "101")], 200),
            ([("Width", "9000")], 400), ([("Sec-CH-Width", "50"), ("Width", "300")], 100),
            ([("Sec-CH-Viewport-Width", "90")], 100), ([("Viewport-Width", "90"), ("DPR", "2")], 200),
            ([("Sec-CH-Viewport-Width", "100"), ("Sec-CH-DPR", "1.1")], 200),
            ([("Sec-CH-Width", "90"), ("Sec-CH-Viewport-Width", "390"), ("Sec-CH-DPR", "3")], 100),
            ([], 150), ([("Sec-CH-DPR", "3")], 150), ([("Sec-CH-Width", "wide")], 150),
            ([("Width", "-5")], 150),
            ([("Sec-CH-Width", "0")], 150), ([("Sec-CH-Width", "99.5")], 150),
            ([("Sec-CH-Width", "100"), ("Sec-CH-Width", "400")], 150),
        ] as [([(String, String)], Int)] {
            let made = try pictureSize(daemon.get(origin.url(), "w=auto", fields: fields))
            #expect(made == [width, width / 2], "\(fields)")
        }
        #expect(try daemon.metric("pictor_renders_total") == 4)
        #expect(try daemon.get(origin.url(), "w=auto")["ETag"] == daemon.get(origin.url(), "w=150")["ETag"])
    }

    @Test func `w=auto is of the picture, and dpr multiplies all else`() throws {
        let daemon = try daemon()
        for (options, expected) in [
            ("w=auto&dpr=2", [200, 100]), ("w=auto&dpr=auto", [200, 100]),
            ("width=auto&h=50&dpr=2&fit=fill", [200, 100]),
            ("w=auto&h=50&dpr=auto&fit=fill&q=50", [200, 75]), ("w=auto&zoom=1.5", [300, 150]),
            ("w=auto&pad=5&dpr=2&output=png", [220, 120]),
        ] {
            let fields = [("Sec-CH-Width", "180"), ("Sec-CH-DPR", "1.5")]
            #expect(
                try pictureSize(daemon.get(origin.url(), options, fields: fields)) == expected, "\(options)")
        }
        let whole = try DaemonUnderTest([
            "--client-hints-enabled", "true", "--client-hints-default-width", "0",
        ])
        #expect(try pictureSize(whole.get(origin.url(), "w=auto")) == [600, 300])
        #expect(try pictureSize(whole.get(origin.url(), "w=auto", fields: [("Width", "321")])) == [480, 240])
    }

    @Test func `dpr=auto is the next quarter up`() throws {
        let daemon = try daemon()
        for (fields, width) in [
            ([("Sec-CH-DPR", "2")], 200), ([("DPR", "1.26")], 150), ([("DPR", "1.2500001")], 125), ([], 100),
            ([("Sec-CH-DPR", "1.100000023841858")], 125), ([("Sec-CH-DPR", "9")], 100),
            ([("DPR", "two")], 100),
            ([("Sec-CH-Width", "400")], 100),
        ] as [([(String, String)], Int)] {
            #expect(
                try pictureSize(daemon.get(origin.url(), "w=100&dpr=auto", fields: fields)) == [
                    width, (width + 1) / 2,
                ],
                "\(fields)")
        }
    }

    @Test func `no client gets what another one hinted at, also from memory`() throws {
        let daemon = try daemon()
        let clients: [([(String, String)], String)] = [
            ([("Sec-CH-Width", "90")], "100"), ([("Sec-CH-Width", "190")], "200"), ([], "150"),
            ([("Sec-CH-Width", "90"), ("Save-Data", "on")], "100"), ([("Save-Data", "on")], "150"),
        ]
        for options in ["w=auto&output=jpg", "w=auto&output=auto"] {
            var tags: [String] = []
            for round in 0..<3 {
                for (index, (fields, width)) in clients.enumerated() {
                    let reply = try daemon.get(
                        origin.url(), options, fields: fields + [("Accept", "image/webp")])
                    #expect("\(try pictureSize(reply)[0])" == width, "\(options), \(fields)")
                    if round == 0 { tags.append(try #require(reply["ETag"])) }
                    #expect(reply["ETag"] == tags[index])
                    if round > 0 {
                        #expect(reply["Cache-Status"]?.hasSuffix("detail=memoryHit") == true, "\(fields)")
                    }
                }
            }
            #expect(Set(tags).count == clients.count)
        }
        // What matters little for a URL keeps its clients together.
        let plain = ["90", "190", "390"].map { [("Sec-CH-Width", $0)] }
        for (index, fields) in plain.enumerated() {
            let reply = try daemon.get(origin.url(), "w=60&output=jpg", fields: fields)
            #expect(reply["Cache-Status"]?.hasSuffix("detail=memoryHit") == (index > 0))
        }
    }

    @Test func `a hint on two lines means from memory what it means at first`() throws {
        let daemon = try daemon()
        let options = "w=60&output=jpg"
        let full = try daemon.get(origin.url(), options)
        let saving = try daemon.get(origin.url(), options, fields: [("Save-Data", "on")])
        #expect(saving["ETag"] != full["ETag"])
        let twice = [("Save-Data", "on"), ("Save-Data", "on")]
        #expect(try daemon.get(origin.url(), options, fields: twice)["ETag"] == saving["ETag"])
        let fresh = try self.daemon()
        #expect(try fresh.get(origin.url(), options, fields: twice)["ETag"] == saving["ETag"])
    }

    @Test func `Vary names what could have mattered, and nothing else`() throws {
        let daemon = try daemon("--cors-allow", "https://a.example")
        let widths = "Sec-CH-Width, Width, Sec-CH-Viewport-Width, Viewport-Width, Sec-CH-DPR, DPR"
        for (options, hints) in [
            ("w=auto&q=50&output=jpg", widths), ("w=auto&output=png", widths),
            ("w=auto&output=jpg", "\(widths), Save-Data"),
            ("w=50&dpr=auto&output=png", "Sec-CH-DPR, DPR"), ("w=50", nil), ("w=50&output=jpg", "Save-Data"),
            ("w=50&output=jpg&q=50", nil), ("w=50&output=tiff", nil), ("w=50&output=webp&ll", nil),
            ("w=50&output=auto&q=50", "Accept"),
            ("w=50&output=auto", "Accept, Save-Data"), ("output=json", nil), ("w=auto&output=json", widths),
            ("output=raw", nil),
        ] as [(String, String?)] {
            for _ in 1...2 {
                let reply = try daemon.get(origin.url(), options)
                #expect(reply.status == 200, "\(reply.text)")
                let vary = [hints, "Origin"].compactMap { $0 }.joined(separator: ", ")
                #expect(reply["Vary"] == vary, "\(options)")
                #expect(
                    reply["Accept-CH"]
                        == "Sec-CH-Width, Width, Sec-CH-Viewport-Width, Viewport-Width, Sec-CH-DPR, DPR")
                let again = try daemon.get(
                    origin.url(), options, fields: [("If-None-Match", try #require(reply["ETag"]))])
                #expect((again.status, again["Vary"]) == (304, vary), "\(options)")
            }
        }
    }

    @Test func `Save-Data lowers the quality where the URL names none`() throws {
        let daemon = try daemon("--encoder-jpeg-quality", "84")
        let saving = [("Save-Data", "on")]
        func tag(_ options: String, _ fields: [(String, String)] = []) throws -> String? {
            try daemon.get(origin.url(), options, fields: fields)["ETag"]
        }
        #expect(try tag("w=50&output=jpg", saving) == tag("w=50&output=jpg&q=63"))
        #expect(try tag("w=50&output=webp", saving) == tag("w=50&output=webp&q=60"))
        #expect(try tag("w=50&output=avif", saving) == tag("w=50&output=avif&q=48"))
        #expect(try tag("w=50&output=jpg", [("Save-Data", "off")]) == tag("w=50&output=jpg"))
        for options in [
            "w=50&output=jpg&q=70", "w=50&output=png", "w=50&output=webp&ll", "w=50&output=jpg&q=auto",
        ] {
            #expect(try tag(options, saving) == tag(options), "\(options)")
        }
        let generous = try self.daemon("--client-hints-save-data-quality", "100")
        let reply = try generous.get(origin.url(), "w=50&output=jpg", fields: saving)
        #expect(reply["Vary"] == nil)
        #expect(try reply["ETag"] == generous.get(origin.url(), "w=50&output=jpg")["ETag"])
    }

    @Test func `a TIFF that keeps its format is exact, and does not vary by Save-Data`() throws {
        let scans = ScriptedOrigin { $0.picture(Pictures.tiff([(60, 40)])) }
        let daemon = try daemon()
        let usual = try daemon.get(scans.url(), "w=50")
        #expect(usual.status == 200 && usual["Content-Type"] == "image/tiff" && usual["Vary"] == nil)
        let saving = try daemon.get(scans.url(), "w=50", fields: [("Save-Data", "on")])
        let tag = try #require(usual["ETag"])
        #expect(saving["ETag"] == tag)
    }

    @Test func `without the setting, hints are not read and auto is refused`() throws {
        let daemon = try DaemonUnderTest(["--cloudflare-enabled", "true"])
        let fields = [("Sec-CH-Width", "100"), ("Save-Data", "on")]
        for (options, name) in [("w=auto", "w"), ("width=auto", "width"), ("w=10&dpr=auto", "dpr")] {
            let reply = try daemon.get(origin.url(), options, fields: fields)
            #expect(reply.status == 400)
            #expect(reply.text.contains("\\\"\(name)\\\" needs clients' hints"), "\(reply.text)")
        }
        let cloudflare = try daemon.get("/cdn-cgi/image/width=auto/\(origin.url().absolute)", fields: fields)
        #expect(cloudflare.status == 400)
        #expect(cloudflare.text.contains("client-hints.enabled"))
        let plain = try daemon.get(origin.url(), "w=50&output=jpg", fields: fields)
        #expect((plain["Vary"], plain["Accept-CH"]) == (nil, nil))
        #expect(try plain["ETag"] == daemon.get(origin.url(), "w=50&output=jpg")["ETag"])
        #expect(try daemon.get(origin.url(), "h=auto").status == 400)
    }

    @Test func `a signature covers auto as it is written`() throws {
        let environment = ["PICTOR_SIGNATURES_KEYS": "0123456789abcdef0123456789abcdef"]
        let daemon = try DaemonUnderTest(
            Self.flags + ["--signatures-required", "native"], environment: environment)
        let command = try PictorCommand(
            ["url", "make", origin.url().absolute, "w=auto"],
            environment: environment.merging(["PICTOR_CLIENT_HINTS_ENABLED": "true"]) { $1 })
        let target = try #require(command.lines.first, "\(command.error)")
        #expect(target.contains("w=auto"))
        #expect(try pictureSize(daemon.get(target, fields: [("Sec-CH-Width", "90")])) == [100, 50])
        #expect(try pictureSize(daemon.get(target, fields: [("Sec-CH-Width", "190")])) == [200, 100])
        let forged = target.replacing("w=auto", with: "w=200")
        #expect(try daemon.get(forged, fields: [("Sec-CH-Width", "190")]).status == 403)
    }

    @Test func `presets may be as wide as hinted, and explain knows`() throws {
        let daemon = try daemon("--options-presets", "card=w=auto&fit=cover&ar=1:1")
        let fields = [("Sec-CH-Width", "120")]
        #expect(try pictureSize(daemon.get(origin.url(), "preset=card", fields: fields)) == [200, 200])
        let target = DaemonUnderTest.target(origin.url(), "w=auto").replacing(
            "/img?", with: "/admin/explain?")
        let explanation = try daemon.admin(target, fields: fields).text
        #expect(explanation.contains("\"recipe\":\"w=200\""), "\(explanation)")
    }
}

@Suite("The languages of other services read hints as those do", .endToEnd)
struct PeerHintTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(600, 300)) }

    @Test func `Cloudflare's width=auto, and a quality for slow connections`() throws {
        let daemon = try DaemonUnderTest([
            "--client-hints-enabled", "true", "--client-hints-widths", "100,200,400", "--cloudflare-enabled",
            "true",
        ])
        func get(_ options: String, _ fields: [(String, String)] = []) throws -> Connection.Reply {
            try daemon.get("/cdn-cgi/image/\(options)/\(origin.url().absolute)", fields: fields)
        }
        #expect(try pictureSize(get("width=auto", [("Sec-CH-Width", "120")])) == [200, 100])
        #expect(
            try pictureSize(get("w=auto,dpr=2", [("Sec-CH-Viewport-Width", "90"), ("Sec-CH-DPR", "3")])) == [
                400, 200,
            ])
        #expect(try pictureSize(get("w=auto,rotate=90", [("Sec-CH-Width", "120")])) == [200, 400])
        let saving = [("Save-Data", "on")]
        let slow = try get("w=90,f=jpeg,q=80,scq=40", saving)
        #expect(slow["Vary"] == "Save-Data")
        #expect(try slow["ETag"] == get("w=90,f=jpeg,q=40")["ETag"])
        #expect(try get("w=90,f=jpeg,q=80,scq=40")["ETag"] == get("w=90,f=jpeg,q=80")["ETag"])
        #expect(try get("w=90,f=jpeg,q=80")["Vary"] == nil)
        #expect(try get("w=90,scq=400").status == 400)
    }

    @Test func `imgproxy's fill in what the URL leaves out`() throws {
        let daemon = try DaemonUnderTest([
            "--client-hints-enabled", "true", "--client-hints-widths", "100,200,400", "--imgproxy-enabled",
            "true",
            "--imgproxy-client-hints", "true", "--client-hints-save-data-quality", "100",
        ])
        let both = [("Sec-CH-Width", "190"), ("Sec-CH-DPR", "2")]
        let (widths, ratios) = ("Sec-CH-Width, Width", "Sec-CH-DPR, DPR")
        for (options, fields, width, vary) in [
            ("f:png", both, 200, "\(widths), \(ratios)"),
            ("f:png", [("Width", "90")], 100, "\(widths), \(ratios)"),
            ("f:png", [("Viewport-Width", "90")], 600, "\(widths), \(ratios)"),
            ("f:png", [], 600, "\(widths), \(ratios)"),
            ("w:50/f:png", both, 100, ratios), ("rs:fit:50/f:png", both, 100, ratios),
            ("w:50/dpr:1/f:png", both, 50, nil),
            ("dpr:1/w:50/f:png", both, 50, nil), ("dpr:1/f:png", both, 100, "\(widths), \(ratios)"),
            ("raw:1", both, 600, nil),
        ] as [(String, [(String, String)], Int, String?)] {
            let reply = try daemon.get("/insecure/\(options)/plain/\(origin.url().absolute)", fields: fields)
            #expect(try pictureSize(reply)[0] == width, "\(options) \(fields)")
            #expect(reply["Vary"] == vary, "\(options)")
        }
        let off = try DaemonUnderTest(["--client-hints-enabled", "true", "--imgproxy-enabled", "true"])
        let plain = try off.get("/insecure/f:png/plain/\(origin.url().absolute)", fields: both)
        #expect(try pictureSize(plain)[0] == 600)
        #expect(plain["Vary"] == nil)
    }
}

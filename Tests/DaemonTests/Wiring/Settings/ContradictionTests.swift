// SPDX-License-Identifier: Apache-2.0

import Daemon
import Dialects
import Settings
import Testing

@Suite("What makes no sense is refused before the daemon starts, all at once")
struct ContradictionTests {
    private func load(_ flags: String...) throws -> Settings {
        try SettingsLoader.load(flags: flags, environment: [:], file: nil)
    }

    @Test(
        arguments: [
            (
                ["--cache-minimum-lifetime", "2h", "--cache-maximum-lifetime", "1h"],
                "cache.minimum-lifetime is above"
            ),
            (
                ["--cache-client-minimum-lifetime", "2h", "--cache-client-maximum-lifetime", "1h"],
                "cache.client-minimum-lifetime is above"
            ),
            (["--origin-first-rest", "1m", "--origin-longest-rest", "1s"], "origin.first-rest is above"),
            (
                ["--origin-maximum-fetches", "5", "--origin-maximum-fetches-per-host", "6"],
                "origin.maximum-fetches-per-host is above origin.maximum-fetches"
            ),
            (
                ["--imgproxy-enabled", "true", "--imgproxy-client-hints", "true"],
                "imgproxy.client-hints is set, and client-hints.enabled is not"
            ),
            (
                ["--imgproxy-enabled", "true", "--imgproxy-enforce-auto-formats", "true"],
                "imgproxy.enforce-auto-formats is set, and imgproxy.auto-formats is empty"
            ),
            (
                ["--client-hints-enabled", "true", "--client-hints-widths", ""],
                "client-hints.enabled is set, and client-hints.widths is empty"
            ),
            (["--azure-account", "shop"], "azure.containers is empty"),
            (["--fleet-client-limits", "true"], "fleet.redis is empty"),
            (["--fleet-origin-limits", "true"], "fleet.redis is empty"),
            (["--decoder-formats", ""], "decoder.formats is empty"),
            (["--origin-ports", ""], "origin.ports is empty"),
            (
                ["--cloudflare-base-url", "https://site.example"],
                "cloudflare.base-url is set, and cloudflare.enabled is not"
            ),
            (["--server-listen", "127.0.0.1:80,127.0.0.1:80"], "127.0.0.1:80 stands in server.listen twice"),
            (
                ["--server-listen", "127.0.0.1:80", "--admin-listen", "127.0.0.1:80"],
                "127.0.0.1:80 stands in server.listen and in admin.listen"
            ),
        ] as [([String], String)])
    func `a contradiction is named`(flags: [String], words: String) throws {
        let settings = try SettingsLoader.load(flags: flags, environment: [:], file: nil)
        #expect(settings.mistakes.count == 1 && settings.mistakes[0].contains(words), "\(settings.mistakes)")
    }

    @Test func `the defaults have none, and a default gives way to a number that was chosen`() throws {
        #expect(Settings().mistakes.isEmpty)
        let settings = try load("--origin-maximum-fetches", "5", "--server-listen", "127.0.0.1:0,127.0.0.1:0")
        #expect(settings.mistakes.isEmpty && settings.origin.maximumFetchesPerHost == 5)
    }

    @Test(
        arguments: [
            (["--server-trusted-proxies", "10.0.0.0/8"], "server.trusted-proxies"),
            (
                [
                    "--shared-store-bucket", "media", "--shared-store-originals", "false",
                    "--shared-store-renditions", "false",
                ], "shared-store.originals"
            ),
            (
                ["--fleet-redis", "redis://host:6379", "--fleet-client-limits", "true"],
                "fleet.client-limits"
            ),
        ] as [([String], String)])
    func `a setting that does nothing without another is remarked on`(flags: [String], key: String) throws {
        let remarks = try SettingsLoader.load(flags: flags, environment: [:], file: nil).remarks
        #expect(remarks.count == 1 && remarks[0].hasPrefix(key), "\(remarks)")
        let others = [
            "--server-client-field", "x-forwarded-for", "--shared-store-originals", "true",
            "--limits-misses-per-client", "200/60s",
        ]
        let settings = try SettingsLoader.load(flags: flags + others, environment: [:], file: nil)
        #expect(try settings.remarks.isEmpty)
    }

    @Test(arguments: [
        ["--origin-files", "photos=/srv/photos"], ["--s3-buckets", "media"],
        ["--azure-containers", "media", "--azure-account", "shop"],
    ])
    func `where folders or stores are read, the web may be closed`(flags: [String]) throws {
        let settings = try SettingsLoader.load(
            flags: ["--origin-ports", ""] + flags, environment: [:], file: nil)
        #expect(!settings.contradictions.contains { $0.contains("origin.ports") })
    }

    @Test(arguments: ["s3", "shared-store"])
    func `a session token is no token of keys that the environment has`(group: String) throws {
        let variable = "PICTOR_\(group.uppercased().replacing("-", with: "_"))_SESSION_TOKEN"
        let settings = try SettingsLoader.load(
            flags: [], environment: [variable: "token"], file: nil)
        let keys = ["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"]
        let mistake = #expect(throws: UnusableSetting.self) {
            let store = group == "s3" ? settings.s3.access : settings.sharedStore.access
            _ = try Settings.keys(for: store, keys)
        }
        #expect(
            mistake?.description == "\(group).session-token is set, and \(group).secret-key is not")
    }

    @Test(arguments: ["server.listen", "admin.listen"])
    func `a socket's path is no longer than the kernel takes`(key: String) throws {
        let flag = "--" + key.replacing(".", with: "-")
        for (length, mistakes) in [(107, 0), (108, 1)] {
            let path = "/" + String(repeating: "a", count: length - 1)
            let found = try load(flag, "unix:\(path)").mistakes
            #expect(found.count == mistakes && found.allSatisfy { $0.contains(key) }, "\(found)")
        }
    }

    @Test func `a lease lasts a second at least`() throws {
        #expect(try load("--fleet-lease-time", "1s").fleet.leaseTime == .seconds(1))
        for time in ["999ms", "0s"] {
            #expect(throws: SettingsLoader.Mistakes.self) { try load("--fleet-lease-time", time) }
        }
    }

    @Test func `all mistakes are told at once, each with its member`() throws {
        let settings = try load(
            "--origin-allow-networks", "10.0.0.0/8,nowhere,me", "--origin-deny-hosts", "a b", "--admin-hosts",
            "*", "--origin-first-rest", "1h")
        let mistakes = settings.mistakes.joined(separator: "\n")
        for words in ["\"nowhere\"", "\"me\"", "\"a b\"", "admin.hosts", "origin.first-rest"] {
            #expect(mistakes.contains(words), "\(words): \(mistakes)")
        }
        #expect(!mistakes.contains("\"10.0.0.0/8\""))
    }

    @Test func `a mistake in an alias hides none in a picture of the settings`() throws {
        let settings = try load(
            "--origin-aliases", "pics=ftp://media", "--options-watermarks", "logo=ftp://a/b",
            "--fallback-picture",
            "ftp://c/d")
        let mistakes = settings.mistakes.joined(separator: "\n")
        for words in ["\"pics=ftp://media\"", "\"ftp://a/b\"", "\"ftp://c/d\""] {
            #expect(mistakes.contains(words), "\(words): \(mistakes)")
        }
    }

    @Test func `what cannot be used is told with the place where it was set`() throws {
        let file = """
            # A comment.
            options:
              presets: ["thumb=w=none"]
            next:
              base-url: nowhere
            cache:
              minimum-lifetime: 2d
            """
        let settings = try SettingsLoader.load(
            flags: ["--referers-allow", "a b"], environment: ["PICTOR_CACHE_MAXIMUM_LIFETIME": "1d"],
            file: ("pictor.yaml", file))
        let starts = [
            "pictor.yaml:3: options.presets", "pictor.yaml:5: next.base-url",
            "pictor.yaml:7: cache.minimum-lifetime", "--referers-allow: referers.allow",
        ]
        for start in starts {
            #expect(settings.mistakes.contains { $0.hasPrefix(start) }, "\(start): \(settings.mistakes)")
        }
        #expect(settings.mistakes.count == starts.count, "\(settings.mistakes)")
        // Only the values are compared, not the places where they were set.
        #expect(
            try load("--cache-memory", "1GiB")
                == SettingsLoader.load(
                    flags: [], environment: ["PICTOR_CACHE_MEMORY": "1GiB"], file: nil))
    }

    @Test func `the wrong member of a list is named, and no other`() {
        #expect {
            try load("--decoder-formats", "jpeg,pgn,webp,gfi")
        } throws: { error in
            let text = "\(error)"
            return text.contains("not \"pgn, gfi\"") && text.contains("a list of avif, ")
        }
    }
}

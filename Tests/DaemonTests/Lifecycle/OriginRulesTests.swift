// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Foundation
import Origin
import Pipeline
import Settings
import SettingsSupport
import Testing

@Suite("What other rules leave in doubt of the originals that are held")
struct OriginRulesTests: SettingsSuite {
    private func doubted(from old: String, to new: String) throws -> [PurgeSelection] {
        let former = try OriginRules(load(yaml: old))
        return try OriginRules(load(yaml: new)).doubted(since: former)
    }

    private static let usual = "log:\n  level: info\n"

    @Test(arguments: [
        "origin:\n  deny-networks: [198.51.100.0/24]\n", "origin:\n  allow-networks: [10.0.0.0/8]\n",
        "origin:\n  allow-private: true\n",
    ])
    func `all where networks are closed, and nothing where they are opened`(yaml: String) throws {
        let isClosing = yaml.contains("deny")
        #expect(try doubted(from: Self.usual, to: yaml) == (isClosing ? [.all] : []))
        #expect(try doubted(from: yaml, to: Self.usual) == (isClosing ? [] : [.all]))
    }

    @Test(arguments: [
        "origin:\n  deny-hosts: [a.example]\n", "origin:\n  allow-hosts: [a.example]\n",
        "origin:\n  deny-urls: [\"//a.example/x/\"]\n", "origin:\n  ports: [\"443\"]\n",
    ])
    func `nothing where lists change that are asked at each request`(yaml: String) throws {
        #expect(try doubted(from: Self.usual, to: yaml) == [])
        #expect(try doubted(from: yaml, to: Self.usual) == [])
    }

    @Test func `the objects of a store where another one is asked for them`() throws {
        func s3(_ host: String, _ bucket: String = "media") -> String {
            "s3:\n  buckets: [\(bucket)]\n  endpoint: https://\(host):9000\n"
        }
        #expect(try doubted(from: s3("a.example"), to: s3("b.example")) == [.prefix("s3://")])
        #expect(try doubted(from: s3("a.example"), to: s3("a.example", "other")) == [])
        func azure(_ account: String) -> String {
            "azure:\n  containers: [media]\n  account: \(account)\n"
        }
        #expect(try doubted(from: azure("one"), to: azure("other")) == [.prefix("azure://")])
        #expect(try doubted(from: azure("one"), to: azure("one")) == [])
    }

    @Test func `the files of a name that leads to another folder, or to none any more`() throws {
        func files(_ places: String...) -> String {
            "origin:\n  files: [\(places.joined(separator: ", "))]\n"
        }
        let first = files("photos=/srv/a")
        #expect(try doubted(from: first, to: files("photos=/srv/b")) == [.prefix("file://photos/")])
        #expect(try doubted(from: first, to: Self.usual) == [.prefix("file://photos/")])
        #expect(try doubted(from: Self.usual, to: first) == [])
        #expect(try doubted(from: first, to: files("photos=/srv/a", "more=/srv/b")) == [])
    }

    @Test func `no file where a version that kept no folders has written the record`() throws {
        let record = #"{"allowsPrivate":false,"allowed":[],"denied":[]}"#
        let former = try JSONDecoder().decode(OriginRules.self, from: Data(record.utf8))
        let rules = try OriginRules(load(yaml: "origin:\n  files: [photos=/srv/a]\n"))
        #expect(rules.doubted(since: former) == [])
    }
}

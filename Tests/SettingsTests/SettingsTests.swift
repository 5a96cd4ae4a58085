// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Settings
import SettingsSupport
import TestSupport
import Testing

@Suite("Settings come from flags, environment, file and defaults, in this order")
struct SettingsTests: SettingsSuite {
    @Test func `nothing given means the defaults`() throws {
        #expect(try load() == Settings())
    }

    @Test func `a terminal of 80 columns breaks no line of the flags' help`() {
        for line in SettingsPrinter.help().split(separator: "\n") { #expect(line.count < 80, "\(line)") }
    }

    @Test func `a file that is a device or a pipe is not called one without permission`() {
        let error = #expect(throws: (any Error).self) {
            _ = try String(contentsOfFile: "/dev/null", encoding: .utf8)
        }
        #expect(error?.fileReason == "it is not a regular file")
    }

    @Test func `a file in another encoding is told as such`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/pictor.yaml"
        try Data([0x23, 0xE9, 0x0A]).write(to: URL(filePath: path))
        let error = #expect(throws: (any Error).self) {
            _ = try String(contentsOfFile: path, encoding: .utf8)
        }
        #expect(error?.fileReason == "it is not UTF-8")
    }

    @Test func `a lifetime below a second is a second, and not none`() throws {
        let settings = try load(flags: [
            "--negative-not-found", "500ms", "--cache-default-lifetime", "1500ms",
        ])
        #expect(settings.negative.notFound.wholeSeconds == 1)
        #expect(settings.cache.defaultLifetime.wholeSeconds == 2)
        #expect(try load(flags: ["--negative-not-found", "0s"]).negative.notFound.wholeSeconds == 0)
    }

    @Test func `a flag beats a variable, which beats the file`() throws {
        let yaml = "cache:\n  memory: 1MiB\n  disk: 1GiB\n  default-lifetime: 1m\n"
        let environment = ["PICTOR_CACHE_MEMORY": "2MiB", "PICTOR_CACHE_DISK": "2GiB", "HOME": "/root"]
        let settings = try load(flags: ["--cache-memory", "3MiB"], environment: environment, yaml: yaml)
        #expect(settings.cache.memory == ByteCount(3 << 20))
        #expect(settings.cache.disk == ByteCount(2 << 30))
        #expect(settings.cache.defaultLifetime == .seconds(60))
    }

    @Test func `the later of two flags counts, and a value may follow an equals sign`() throws {
        let settings = try load(flags: ["--log-level", "debug", "--log-level=error"])
        #expect(settings.log.level.settingText == "error")
    }

    @Test func `lists are written as YAML sequences or with commas`() throws {
        let fromFile = try load(yaml: "server:\n  listen: [\"127.0.0.1:1\", \"unix:/run/p\"]\n")
        let fromFlag = try load(flags: ["--server-listen", "127.0.0.1:1, unix:/run/p"])
        #expect(fromFile.server.listen == ["127.0.0.1:1", "unix:/run/p"])
        #expect(fromFile == fromFlag)
        #expect(try load(flags: ["--admin-listen="]).admin.listen.isEmpty)
    }

    @Test func `named places are a YAML mapping, or items with an equals sign`() throws {
        let fromFile = try load(yaml: "origin:\n  files: {photos: /srv/photos, old: /mnt/a=b}\n")
        let fromFlag = try load(flags: ["--origin-files", "photos=/srv/photos, old=/mnt/a=b"])
        #expect(fromFile.origin.files.places == ["photos": "/srv/photos", "old": "/mnt/a=b"])
        #expect(fromFile == fromFlag)
        #expect(
            try load(yaml: "origin:\n  files: [\"photos=/srv/photos\"]\n").origin.files["photos"]
                == "/srv/photos")
        #expect(try load(yaml: "origin:\n  files: {}\n") == Settings())
        for wrong in [
            "{photos: [/srv]}", "{photos: srv}", "{Photos: /srv}", "{photos: \"/a,b\"}", "{photos: }",
        ] {
            #expect(mistakes(yaml: "origin:\n  files: \(wrong)\n").count == 1, "\(wrong)")
        }
    }

    @Test(arguments: [
        (
            "cache:\n  memry: 1MiB\n",
            "pictor.yaml:2: no such setting: cache.memry; did you mean cache.memory?"
        ),
        ("cach:\n  memory: 1MiB\n", "pictor.yaml:1: no such group: cach; did you mean cache?"),
        (
            "\ncache:\n  memory: lots\n",
            "pictor.yaml:3: cache.memory must be 0B, or bytes from 64KiB on, not \"lots\"; write a size as 512KiB, 64MiB or 10GiB"
        ),
        (
            "cache:\n  memory: 1GB\n",
            "pictor.yaml:2: cache.memory must be 0B, or bytes from 64KiB on, not \"1GB\"; write a size as 512KiB, 64MiB or 10GiB"
        ),
        (
            "cache:\n  memory: 512\n",
            "pictor.yaml:2: cache.memory must be 0B, or bytes from 64KiB on, not \"512\""
        ),
        (
            "encoder:\n  jpeg-quality: 101\n",
            "pictor.yaml:2: encoder.jpeg-quality must be 1 to 100, not \"101\""
        ),
        (
            "server:\n  idle-timeout: 0s\n",
            "pictor.yaml:2: server.idle-timeout must be a duration above 0, as 500ms, 10s, 5m, 1h or 30d, not \"0s\""
        ),
        (
            "server:\n  maximum-head: 128KiB\n",
            "pictor.yaml:2: server.maximum-head must be 1KiB to 64KiB, not \"128KiB\""
        ),
        (
            "log:\n  access-sample: 0\n",
            "pictor.yaml:2: log.access-sample must be 1 to 1000000, not \"0\""
        ),
        (
            "cache: 3\n",
            "pictor.yaml:1: cache must be a mapping: its settings stand below it, indented, as name: value"
        ),
        ("[1, 2]\n", "pictor.yaml: must be a mapping of groups to settings"),
        (
            "cache:\n  memory: [1, 2]\n",
            "pictor.yaml:2: cache.memory must be 0B, or bytes from 64KiB on"
        ),
    ])
    func `a mistake in the file is named with its line`(yaml: String, message: String) {
        #expect(mistakes(yaml: yaml) == [message])
    }

    @Test(arguments: [
        "\n  - ", "\n  - a.test\n  -", " [\"\"]", " [a.test, \" \"]", " [~]", " [null, a.test]", " [\",\"]",
    ])
    func `an empty item of a list is a mistake, since the list would be shorter`(list: String) {
        #expect(
            mistakes(yaml: "origin:\n  allow-hosts:\(list)\n") == [
                "pictor.yaml:2: origin.allow-hosts has an empty item"
            ])
    }

    @Test func `all mistakes are told at once, with their places`() {
        let list = mistakes(
            flags: ["--cache-memroy", "1MiB", "--log-access", "perhaps"],
            environment: ["PICTOR_CACHE_DSK": "1"])
        #expect(list.contains("--cache-memroy: no such flag; did you mean --cache-memory?"))
        #expect(list.contains("--log-access: log.access must be true or false, not \"perhaps\""))
        #expect(list.contains("PICTOR_CACHE_DSK: no such setting; did you mean PICTOR_CACHE_DISK?"))
    }

    @Test func `variables by which Kubernetes tells of services are no settings, and others stay mistakes`()
        throws
    {
        let variables = [
            "PICTOR_SERVICE_HOST": "10.0.0.11", "PICTOR_SERVICE_PORT": "80", "PICTOR_SERVICE_PORT_HTTP": "80",
            "PICTOR_PORT": "tcp://10.0.0.11:80", "PICTOR_PORT_80_TCP": "tcp://10.0.0.11:80",
            "PICTOR_PORT_80_TCP_PROTO": "tcp", "PICTOR_PORT_80_TCP_PORT": "80",
            "PICTOR_PORT_80_TCP_ADDR": "10.0.0.11", "PICTOR_ADMIN_SERVICE_HOST": "10.0.0.12",
            "PICTOR_ADMIN_PORT": "tcp://10.0.0.12:8081",
        ]
        #expect(try load(environment: variables) == Settings())
        #expect(mistakes(environment: ["PICTOR_PORT": "80"]).count == 1)
        #expect(
            mistakes(environment: variables.merging(["PICTOR_ADMIN_TOKN": "x"]) { $1 }) == [
                "PICTOR_ADMIN_TOKN: no such setting; did you mean PICTOR_ADMIN_TOKEN?"
            ])
    }

    @Test func `a file that loses its settings is no file without settings`() throws {
        let full = try load(flags: ["--log-level", "debug"], yaml: "log:\n  level: error\n")
        for emptied in [nil, "", "\n", "# nothing\n", "log:\n", "{}\n"] {
            let new = try load(yaml: emptied)
            #expect(throws: SettingsLoader.Mistakes.self) { try SettingsLoader.mustKeepFile(new, of: full) }
            try SettingsLoader.mustKeepFile(new, of: new)
            try SettingsLoader.mustKeepFile(full, of: new)
        }
        try SettingsLoader.mustKeepFile(full, of: full)
    }

    @Test func `a flag without its value says what it needs`() {
        #expect(
            mistakes(flags: ["--origin-timeout"]) == [
                "--origin-timeout: needs a value: a duration above 0, as 500ms, 10s, 5m, 1h or 30d"
            ])
    }

    @Test(arguments: [
        ["--origin-deny-hosts", "a.test", "--origin-deny-hosts", "b.test"],
        ["--origin-deny-hosts=a.test", "--log-level", "info", "--origin-deny-hosts", "b.test"],
    ])
    func `a list in two flags is a mistake, since the first would close nothing`(flags: [String]) throws {
        #expect(
            mistakes(flags: flags) == [
                "--origin-deny-hosts: is given twice; a list is one value, with commas between its items"
            ])
        let variable = ["PICTOR_ORIGIN_DENY_HOSTS": "c.test"]
        let settings = try load(flags: ["--origin-deny-hosts", "a.test,b.test"], environment: variable)
        #expect(settings.origin.denyHosts == ["a.test", "b.test"])
    }

    @Test func `of one value in two flags the last counts`() throws {
        let settings = try load(flags: ["--cache-disk", "1GiB", "--cache-disk=2GiB"])
        #expect(settings.cache.disk == ByteCount(2 << 30))
    }

    @Test func `every setting's default is a value that it accepts and prints back`() {
        for setting in Setting.table {
            var settings = Settings()
            let text = setting.write(settings)
            #expect(setting.read(text, &settings), "\(setting.key)")
            #expect(settings == Settings(), "\(setting.key)")
        }
    }

    @Test func `no two settings share a key, a flag or a variable`() {
        #expect(Set(Setting.table.map(\.key)).count == Setting.table.count)
        #expect(Set(Setting.table.map(\.flag)).count == Setting.table.count)
        #expect(Set(Setting.table.map(\.variable)).count == Setting.table.count)
    }

    @Test func `the printed file reads back as the defaults`() throws {
        #expect(try load(yaml: SettingsPrinter.yaml()) == Settings())
    }

    @Test func `so do values that YAML has signs of its own in`() throws {
        var settings = Settings()
        settings.origin.userAgent = #"pictor "of \ours""#
        settings.options.watermarks = [#"logo=/srv/the "\logo".png"#]
        let printed = SettingsPrinter.yaml(settings)
        #expect(try load(yaml: printed) == settings)
        #expect(printed.hasPrefix("# Pictor's settings as they are in force."), "no defaults")
    }

    @Test(arguments: [
        ("0s", 0), ("1ms", 1), ("10s", 10_000), ("5m", 300_000), ("1h", 3_600_000), ("2d", 172_800_000),
    ])
    func `durations have units and print the way they are written`(text: String, milliseconds: Int) {
        #expect(Duration(settingText: text) == .milliseconds(milliseconds))
        #expect(Duration.milliseconds(milliseconds).settingText == text)
    }

    @Test(arguments: ["", "10", "-1s", "1.5s", "s", "99999999999999999999s", "99999d"])
    func `a duration without unit, sign or sense is refused`(text: String) {
        #expect(Duration(settingText: text) == nil)
    }
}

@Suite("Sizes that nothing has")
struct ByteCountTests {
    @Test(arguments: ["8388607TiB", "9223372036854775807B", "1152921504606846977"])
    func `more than an exbibyte is a slip of the hand`(text: String) {
        #expect(ByteCount(settingText: text) == nil)
    }

    @Test(arguments: [
        ("decoder.memory", "512"), ("decoder.memory", "15MiB"), ("cache.memory", "256"),
        ("cache.disk", "10"), ("cache.held-disk", "4"), ("cache.held-memory", "1"),
        ("origin.maximum-body", "64"), ("decoder.maximum-output", "64"), ("log.queue", "2GiB"),
    ])
    func `a size without its unit is too small to be meant`(key: String, text: String) throws {
        let setting = try #require(Setting.table.first { $0.key == key })
        var settings = Settings()
        #expect(!setting.read(text, &settings))
        #expect(settings == Settings())
    }

    @Test(arguments: ["decoder.memory", "cache.memory", "cache.disk", "cache.held-disk", "cache.held-memory"])
    func `nothing is a size where it has a meaning`(key: String) throws {
        let setting = try #require(Setting.table.first { $0.key == key })
        var settings = Settings()
        #expect(setting.read("0", &settings) && setting.read("0B", &settings))
        #expect(setting.form.hasPrefix("0B, or bytes from "))
    }
}

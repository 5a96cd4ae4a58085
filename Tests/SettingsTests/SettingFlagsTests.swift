// SPDX-License-Identifier: Apache-2.0

import Settings
import SettingsSupport
import Testing

@Suite("The flags of the settings among a command's arguments")
struct SettingFlagsTests: SettingsSuite {
    private func last(_ arguments: String...) -> [String] {
        SettingFlags.last(in: arguments[...], exceptOf: ["render"])
    }

    @Test func `they go behind all others with their values, in their order`() {
        #expect(
            last("--admin-listen", "a:1", "explain", "--cache-memory=1MiB", "url", "--options", "w=3")
                == ["explain", "url", "--options", "w=3", "--admin-listen", "a:1", "--cache-memory=1MiB"])
        #expect(last("explain", "url", "--accept", "x") == ["explain", "url", "--accept", "x"])
        #expect(last() == [])
    }

    @Test func `a flag that no setting has stays where it is`() {
        #expect(
            last("check", "--cache-memery", "1MiB", "--log-level", "info")
                == ["check", "--cache-memery", "1MiB", "--log-level", "info"])
    }

    @Test func `they come behind what follows their end, which begins as it likes`() {
        #expect(
            last("explain", "--admin-listen", "a:1", "--", "url")
                == ["explain", "--", "url", "--admin-listen", "a:1"])
        #expect(
            last("cache", "list", "--admin-listen=a:1", "--", "--cache-memory")
                == ["cache", "list", "--", "--cache-memory", "--admin-listen=a:1"])
        #expect(last("warm", "--", "--", "list") == ["warm", "--", "--", "list"])
    }

    @Test func `what follows their end is no flag, and is refused where only flags may stand`() {
        let arguments = last("explain", "--", "url", "--log-level", "info", "--log-level")
        #expect(arguments == ["explain", "--", "url", "--", "--log-level", "info", "--log-level"])
        #expect(
            mistakes(flags: ["--", "--log-level=info", "--log-format", "json"])
                == ["--log-level: stands behind --, which ends the flags"])
        #expect(mistakes(flags: ["--", "url"]) == ["url: stands behind --, which ends the flags"])
    }

    @Test func `all that follows their end is an operand of a command that takes none`() {
        for arguments in [
            ["render", "-o", "out", "--", "a.png", "--log-format"],
            ["render", "--", "a.png", "--log-level", "info", "--log-format=json"], ["render", "a.png", "--"],
        ] {
            #expect(SettingFlags.last(in: arguments[...], exceptOf: ["render", "url"]) == arguments)
        }
        // A flag before "--" still counts as a flag, which the command refuses.
        #expect(
            last("--log-level", "info", "render", "--", "a.png", "--log-format")
                == ["render", "--log-level", "info", "--", "a.png", "--log-format"])
    }

    @Test(
        arguments: [
            (["w=300"], "w=300"), (["--log-level", "info", "w=300"], "w=300"),
            (["--log-level=info", "w=300", "h=2"], "w=300"), (["--log-level", "info"], nil),
            (["--none", "w=300"], nil), (["--", "w=300"], nil), ([], nil),
        ] as [([String], String?)])
    func `a word that is neither a flag nor its value is found`(arguments: [String], stray: String?) {
        #expect(SettingFlags.stray(in: arguments) == stray)
    }

    @Test func `a word in a flag's place is told as it is, and what a flag is`() {
        #expect(
            mistakes(flags: ["w=300", "url", "--log-level", "info"]) == [
                "\"w\" is no flag; flags begin with --", "\"url\" is no flag; flags begin with --",
            ])
    }

    @Test func `an end with nothing behind it says nothing`() {
        #expect(last("check", "--log-level", "info", "--") == ["check", "--log-level", "info"])
        #expect(last("serve", "--") == ["serve"])
    }

    @Test func `the end is no flag's value, so a flag before it has none`() {
        #expect(
            last("explain", "--log-level", "info", "--admin-listen", "--", "url")
                == ["explain", "--", "url", "--log-level", "info", "--admin-listen"])
        #expect(last("check", "--admin-listen", "--") == ["check", "--admin-listen"])
        // As the value of a flag, "--" is allowed.
        #expect(last("check", "--admin-listen=--") == ["check", "--admin-listen=--"])
    }

    @Test func `a value may look like a flag`() {
        #expect(
            last("explain", "--log-level", "--log-format", "url")
                == ["explain", "url", "--log-level", "--log-format"])
    }
}

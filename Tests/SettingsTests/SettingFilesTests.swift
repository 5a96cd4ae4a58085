// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Settings
import TestSupport
import Testing

@Suite("A reload knows which files have changed")
struct SettingFilesTests {
    private let folder = TemporaryFolder()

    private func put(_ text: String, into name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func `a file that was written anew is named by its setting, and no other file`() throws {
        var settings = Settings()
        settings.origin.profiles = try put("a", into: "profiles")
        settings.admin.tokenFile = try put("a", into: "token")
        settings.origin.certificateAuthorities = [try put("a", into: "authorities")]
        settings.options.watermarks = ["logo=\(try put("a", into: "logo"))", "far=https://a.test/logo.png"]
        settings.fallback.picture = try put("a", into: "fallback")
        let (all, secrets) = (SettingFiles.all(of: settings), SettingFiles.secrets(of: settings))
        #expect(SettingFiles.all(of: settings).keys(changedSince: all).isEmpty)
        for name in ["profiles", "logo", "authorities", "fallback"] { _ = try put("another", into: name) }
        #expect(
            SettingFiles.all(of: settings).keys(changedSince: all) == [
                "origin.profiles", "options.watermarks", "origin.certificate-authorities", "fallback.picture",
            ])
        #expect(SettingFiles.secrets(of: settings).keys(changedSince: secrets) == ["origin.profiles"])
    }

    @Test func `settings are named once and in the order of the table, whatever of them has changed`() {
        var new = Settings()
        new.origin.profiles = "/a"
        let change = SettingsChange(from: Settings(), to: new)
        #expect(
            change.keys(withFiles: ["options.watermarks", "origin.profiles", "admin.token-file"]) == [
                "admin.token-file", "origin.profiles", "options.watermarks",
            ])
    }
}

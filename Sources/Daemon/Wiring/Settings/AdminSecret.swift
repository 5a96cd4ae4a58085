// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Settings {
    /// From the setting, its file, or the service manager's credentials; nil: nobody has one.
    package var adminSecret: Secret {
        get throws(UnusableSetting) {
            guard !admin.token.isSet || admin.tokenFile.isEmpty else {
                throw UnusableSetting(description: "admin.token and admin.token-file are both set")
            }
            if admin.token.isSet { return admin.token }
            if !admin.tokenFile.isEmpty { return try Self.secret(in: admin.tokenFile) }
            let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? ""
            let credential = folder + "/admin-token"
            let isThere = !folder.isEmpty && FileManager.default.fileExists(atPath: credential)
            return isThere ? try Self.secret(in: credential) : .none
        }
    }

    private static func secret(in path: String) throws(UnusableSetting) -> Secret {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw UnusableSetting(
                description: "the admin token's file: \(path): \(error.localizedDescription)")
        }
        guard let secret = Secret(settingText: text), secret.isSet else {
            throw UnusableSetting(description: "\(path): the token must be \(Secret.settingForm)")
        }
        return secret
    }
}

// SPDX-License-Identifier: Apache-2.0

@testable import Settings
import SettingsSupport
import Testing

@Suite("Settings without a value")
struct EmptySettingsTests: SettingsSuite {
    @Test func `a list may be empty, and says so by brackets, wherever it is set`() throws {
        let yaml = "origin:\n  allow-hosts: [a.test]\n"
        #expect(try load(yaml: "origin:\n  allow-hosts: []\n") == Settings())
        #expect(try load(environment: ["PICTOR_ORIGIN_ALLOW_HOSTS": "[]"], yaml: yaml) == Settings())
        #expect(try load(flags: ["--origin-allow-hosts", "[]"], yaml: yaml) == Settings())
        #expect(mistakes(yaml: "origin:\n  allow-hosts: [\"[]\"]\n").count == 1)
    }

    @Test func `what can be read is read beside mistakes, for who only looks for the daemon`() {
        let yaml = "admin:\n  listen: 127.0.0.1:9\n  token: short\ncache:\n  memory:\n"
        let (settings, mistakes) = SettingsLoader.readable(
            flags: ["--log-level", "loud"], environment: [:], file: ("pictor.yaml", yaml))
        #expect(settings.admin.listen == ["127.0.0.1:9"])
        #expect(mistakes.count == 3)
    }

    @Test func `white space around a value is none of it`() throws {
        let settings = try load(environment: [
            "PICTOR_S3_ACCESS_KEY": "key\n", "PICTOR_S3_BUCKETS": "media\n", "PICTOR_S3_REGION": " eu-1 \r\n",
            "PICTOR_CACHE_MEMORY": "1MiB\n", "PICTOR_LOG_ACCESS": "off\n",
        ])
        #expect(settings.s3.access.accessKey == "key" && settings.s3.buckets == ["media"])
        #expect(settings.s3.access.region == "eu-1" && !settings.log.access)
        #expect(settings.cache.memory == ByteCount(1 << 20))
        #expect(
            mistakes(environment: ["PICTOR_S3_ACCESS_KEY": "key\nof-ours"]) == [
                "PICTOR_S3_ACCESS_KEY: s3.access-key must be printable ASCII without spaces"
            ], "the secret may stand behind the key's name")
        let given = ["AWS_ACCESS_KEY_ID": "key\n", "AWS_SECRET_ACCESS_KEY": "secret\n"]
        let keys = try #require(try Settings.keys(for: Settings().s3.access, given))
        #expect(keys.access == "key" && keys.secret == "secret" && keys.token.isEmpty)
        let azure = try Settings().azureAccess([
            "AZURE_STORAGE_ACCOUNT": "media\n", "AZURE_STORAGE_KEY": "a2V5\n",
            "AZURE_STORAGE_SAS_TOKEN": "\n",
        ])
        #expect(azure.account == "media" && azure.key == "a2V5" && azure.token.isEmpty)
    }

    @Test(arguments: ["", " ~", " null"])
    func `a line without a value is a mistake, and no empty list`(value: String) {
        #expect(
            mistakes(yaml: "cache:\n  memory:\(value)\norigin:\n  allow-hosts:\(value)\n") == [
                "pictor.yaml:2: cache.memory has no value; leave the line out for the default",
                "pictor.yaml:4: origin.allow-hosts has no value; leave the line out for the default, or write [] for an empty list",
            ])
    }

    @Test(arguments: [
        "origin.allow-hosts", "origin.deny-networks", "referers.allow", "signatures.required",
        "imgproxy.keys", "thumbor.keys", "admin.token", "thumbor.keys-file", "log.redact",
        "imgproxy.base-url", "options.default-hosts",
    ])
    func `a variable that a template left empty opens nothing`(key: String) throws {
        let setting = try #require(Setting.table.first { $0.key == key })
        for text in ["", " ", ", ,"] {
            let list = mistakes(environment: [setting.variable: text])
            #expect(list.count == 1)
            #expect(
                list.first?.hasPrefix("\(setting.variable): \(key) is empty and closes nothing; ") == true)
        }
        guard !setting.isSecret else { return }
        #expect(mistakes(flags: ["\(setting.flag)="]).count == 1)
    }

    @Test(arguments: ["\"\"", "[token, sig]", "\"token,sig\"", "'token'"])
    func `names of parameters in quotes or brackets would hide nothing`(text: String) {
        #expect(mistakes(environment: ["PICTOR_LOG_REDACT": text]).count == 1)
        #expect(mistakes(environment: ["PICTOR_LOG_REDACT": "token,auth[key]"]).isEmpty)
    }

    @Test func `an empty text of a list that closes something is a mistake in the file, and of a path none`()
        throws
    {
        #expect(
            mistakes(yaml: "origin:\n  allow-hosts: \"\"\n") == [
                "pictor.yaml:2: origin.allow-hosts is empty and closes nothing; write [] if that is meant"
            ])
        #expect(try load(yaml: "admin:\n  token-file: \"\"\n") == Settings())
        #expect(
            try load(environment: ["PICTOR_ORIGIN_PROXY": "", "PICTOR_CORS_ALLOW": ""]).cors.allow.isEmpty)
    }

    @Test func `an empty variable overrides a text of the file, and is no number, duration, size or choice`()
        throws
    {
        let yaml = "origin:\n  proxy: http://proxy.example:3128\nadmin:\n  listen: [127.0.0.1:9]\n"
        let settings = try load(
            environment: ["PICTOR_ORIGIN_PROXY": "", "PICTOR_ADMIN_LISTEN": ""], yaml: yaml)
        #expect(settings.origin.proxy.isEmpty && settings.admin.listen.isEmpty)
        for key in [
            "server.maximum-fields", "origin.timeout", "cache.memory", "log.level", "origin.allow-private",
        ] {
            let setting = try #require(Setting.table.first { $0.key == key })
            #expect(mistakes(environment: [setting.variable: ""]).count == 1, "\(key)")
        }
    }
}

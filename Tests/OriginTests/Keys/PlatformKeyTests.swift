// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPSemantics
@testable import Origin
import Synchronization
import TestSupport
import Testing

@Suite("Keys of a store that the platform gives for a while")
struct PlatformKeyTests {
    private static let document =
        #"{"Code":"Success","AccessKeyId":"ASIA1","SecretAccessKey":"sec/ret","Token":"to+ken=","Expiration":"2026-11-25T18:00:00Z"}"#
    private static let keys = StoreCredentials(
        accessKey: "ASIA1", secretKey: "sec/ret", sessionToken: "to+ken=")

    private func file(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    // MARK: The source

    @Test func `the environment's variables name the source, the most particular first`() throws {
        func source(_ environment: [String: String], asksMachine: Bool = false) throws -> KeySource? {
            try KeySource(environment, region: "eu-central-1", asksMachine: asksMachine)
        }
        let identity = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/a"]
        let container = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/a"]
        #expect(
            try source(identity.merging(container) { $1 })
                == .webIdentity(
                    endpoint: "https://sts.eu-central-1.amazonaws.com", role: "arn:aws:iam::1:role/a",
                    session: "pictor", tokenFile: "/token"))
        #expect(
            try source(container, asksMachine: true)
                == .container(url: "http://169.254.170.2/v2/credentials/a", authorization: .nothing))
        #expect(try source([:], asksMachine: true) == .machine(endpoint: "http://169.254.169.254"))
        #expect(try source([:]) == nil)
        #expect(
            try source(["AWS_ROLE_ARN": "arn:aws:iam::1:role/a", "AWS_WEB_IDENTITY_TOKEN_FILE": ""]) == nil)
        #expect(
            try source([
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": "word",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/token",
            ])
                == .container(
                    url: "http://169.254.170.23/v1/credentials", authorization: .file("/token")))
    }

    @Test func `an endpoint may end in a slash, as Amazon's tools write it`() throws {
        let machine = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://[fd00:ec2::254]/"]
        #expect(
            try KeySource(machine, region: "eu-central-1", asksMachine: true)
                == .machine(endpoint: "http://[fd00:ec2::254]"))
        let identity = [
            "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/a",
            "AWS_ENDPOINT_URL_STS": "https://store.example:9000/",
        ]
        #expect(
            try KeySource(identity, region: "eu-central-1", asksMachine: false)
                == .webIdentity(
                    endpoint: "https://store.example:9000", role: "arn:aws:iam::1:role/a",
                    session: "pictor", tokenFile: "/token"))
    }

    @Test(arguments: [
        ("us-gov-west-1", "us-gov-west-1.amazonaws.com"), ("cn-north-1", "cn-north-1.amazonaws.com.cn"),
        ("eusc-de-east-1", "eusc-de-east-1.amazonaws.eu"), ("us-iso-east-1", "us-iso-east-1.c2s.ic.gov"),
        ("us-isob-east-1", "us-isob-east-1.sc2s.sgov.gov"),
        ("us-isof-south-1", "us-isof-south-1.csp.hci.ic.gov"),
        ("eu-isoe-west-1", "eu-isoe-west-1.cloud.adc-e.uk"),
    ])
    func `Amazon's services are asked in the domain of the region's partition`(
        region: String, domain: String
    ) throws {
        #expect(AmazonService.store.url(in: region) == "https://s3.\(domain)")
        let identity = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws-cn:iam::1:role/a"]
        #expect(
            try KeySource(identity, region: region, asksMachine: false)
                == .webIdentity(
                    endpoint: "https://sts.\(domain)", role: "arn:aws-cn:iam::1:role/a", session: "pictor",
                    tokenFile: "/token"))
    }

    @Test(arguments: [
        "http://store.example/keys", "http://10.0.0.1/", "file:///etc/passwd", "169.254.170.2",
        "http://169.254.170.2.example/", "http://169.254.169.254@evil.example/",
    ])
    func `keys are not asked for in the clear over a network`(url: String) {
        #expect(throws: UnusableKeySource(variable: "AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
            try KeySource(
                ["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], region: "us-east-1", asksMachine: true)
        }
    }

    @Test(arguments: [
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@127.0.0.1:27040/x"),
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", ".evil.example/x"),
        ("AWS_ENDPOINT_URL_STS", "http://sts.example"), ("AWS_ENDPOINT_URL_STS", "sts.example"),
    ])
    func `no token is sent to another place than the variable's`(variable: String, value: String) {
        #expect(throws: UnusableKeySource(variable: variable)) {
            try KeySource(
                [
                    variable: value, "AWS_ROLE_ARN": "arn:aws:iam::1:role/a",
                    "AWS_WEB_IDENTITY_TOKEN_FILE": variable.contains("STS") ? "/token" : "",
                ], region: "us-east-1", asksMachine: true)
        }
    }

    // MARK: The answer

    @Test(arguments: [
        "", "{}", "null", "[]", #"{"AccessKeyId":"a"}"#,
        #"{"AccessKeyId":"","SecretAccessKey":"b","Token":"c"}"#,
        #"{"AccessKeyId":"a b","SecretAccessKey":"b","Token":"c"}"#,
        #"{"AccessKeyId":"a","SecretAccessKey":"b","Token":"c\r\nX: y"}"#,
        #"{"AccessKeyId":1,"SecretAccessKey":"b"}"#, String(repeating: "[", count: 2_000),
    ])
    func `a document without usable keys has none`(text: String) {
        #expect(TemporaryKeys(document: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "<SessionToken>to+ken=</SessionToken>", "<SessionToken>", "<SessionToken>to+k",
        "<SessionToken>to+k</Sess", "<SessionToken>to&#43;ken=</SessionToken>",
        "<SessionToken>to<!-- -->+ken=</SessionToken>",
    ])
    func `only a whole and plain part of a token service's answer is used`(end: String) {
        let text = "<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>sec/ret</SecretAccessKey>\(end)"
        let isPlain = end == "<SessionToken>to+ken=</SessionToken>"
        #expect(TemporaryKeys(xml: Array(text.utf8))?.credentials == (isPlain ? Self.keys : nil))
    }

    @Test(arguments: [
        ("2026-11-25T18:00:00Z", Int64(1_795_629_600)), ("2026-11-25T18:00:00.359Z", 1_795_629_600),
        ("1970-01-01T00:00:00Z", 0),
    ])
    func `the end of keys is a time`(text: String, seconds: Int64) throws {
        let keys = TemporaryKeys(access: "a", secret: "b", token: "", end: text)
        #expect(try #require(keys).end == Timestamp(seconds: seconds))
    }

    @Test(arguments: [
        "", "soon", "2026-13-45T99:00:00Z", "99999999999999-01-01T00:00:00Z", "1969-01-01T00:00:00Z",
    ])
    func `an end that is no time is unknown`(text: String) throws {
        let keys = try #require(TemporaryKeys(access: "a", secret: "b", token: "", end: text))
        #expect(keys.end == nil)
    }

    // MARK: The request

    @Test func `the machine's metadata service is asked by its second version`() throws {
        let service = ScriptedOrigin { peer in
            switch (peer.head.prefix { $0 != " " }, peer.target) {
            case ("PUT", "/latest/api/token") where peer.has("X-aws-ec2-metadata-token-ttl-seconds: 21600"):
                peer.answer(body: "session==".utf8)
            case ("GET", "/latest/meta-data/iam/security-credentials/")
            where peer.has("X-aws-ec2-metadata-token: session=="):
                peer.answer(body: "pictor role\nanother".utf8.map { $0 == 0x20 ? 0x2D : $0 })
            case ("GET", "/latest/meta-data/iam/security-credentials/pictor-role")
            where peer.has("X-aws-ec2-metadata-token: session=="):
                peer.answer(body: Self.document.utf8)
            default: peer.answer("401 Unauthorized", body: "".utf8)
            }
        }
        let keys = try KeyRequest.keys(from: .machine(endpoint: "http://127.0.0.1:\(service.port)"), nil)
        #expect(keys.credentials == Self.keys && keys.end == Timestamp(seconds: 1_795_629_600))
    }

    @Test func `an agent sees the word of the file as it is now`() throws {
        let agent = ScriptedOrigin { peer in
            guard peer.has("Authorization: second") else {
                return peer.answer("403 Forbidden", body: "".utf8)
            }
            peer.answer(body: Self.document.utf8)
        }
        let path = try file("first\n")
        let source = KeySource.container(
            url: "http://127.0.0.1:\(agent.port)/v1/credentials", authorization: .file(path))
        #expect(throws: TransferFailure("status 403")) { try KeyRequest.keys(from: source, nil) }
        try "second\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try KeyRequest.keys(from: source, nil).credentials == Self.keys)
    }

    @Test func `an agent is shown a scheme and a token, as by Amazon's tools`() throws {
        let agent = ScriptedOrigin { peer in
            guard peer.has("Authorization: Basic abcd") else {
                return peer.answer("403 Forbidden", body: "".utf8)
            }
            peer.answer(body: Self.document.utf8)
        }
        func keys(_ authorization: KeySource.Authorization) throws -> TemporaryKeys {
            let url = "http://127.0.0.1:\(agent.port)/v1/credentials"
            return try KeyRequest.keys(from: .container(url: url, authorization: authorization), nil)
        }
        #expect(try keys(.value("Basic abcd")).credentials == Self.keys)
        #expect(try keys(.file(try file("Basic abcd\n"))).credentials == Self.keys)
        for value in ["", " abcd", "abcd ", "Basic  abcd", "Basic\tabcd", "Basic abcd\r\nX: y", "é"] {
            #expect(throws: TransferFailure("the authorization for the agent is no value of a field")) {
                try keys(.value(value))
            }
        }
    }

    @Test func `a token service is shown the platform's token`() throws {
        let forms = Mutex<[String]>([])
        let service = ScriptedOrigin { peer in
            forms.withLock { $0.append(String(decoding: peer.body, as: UTF8.self)) }
            peer.answer(
                body: """
                    <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                      <AssumeRoleWithWebIdentityResult><Credentials>
                        <SessionToken>to+ken=</SessionToken><SecretAccessKey>sec/ret</SecretAccessKey>
                        <Expiration>2026-11-25T18:00:00.359Z</Expiration><AccessKeyId>ASIA1</AccessKeyId>
                      </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
                    """.utf8)
        }
        let source = KeySource.webIdentity(
            endpoint: "http://127.0.0.1:\(service.port)", role: "arn:aws:iam::1:role/a&b", session: "pictor",
            tokenFile: try file("ey.a-b_c\n"))
        let keys = try KeyRequest.keys(from: source, nil)
        #expect(keys.credentials == Self.keys && keys.end == Timestamp(seconds: 1_795_629_600))
        #expect(
            forms.withLock { $0 } == [
                "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa%26b&RoleSessionName=pictor&WebIdentityToken=ey.a-b_c"
            ])
    }

    @Test func `whatever a source answers instead is a failure without its secrets`() throws {
        for body in [
            "", "{", "<SecretAccessKey>sec</SecretAccessKey>", Self.document.replacing("ASIA1", with: ""),
        ] {
            let agent = ScriptedOrigin { $0.answer(body: body.utf8) }
            let url = "http://127.0.0.1:\(agent.port)"
            for source in [
                KeySource.container(url: url, authorization: .nothing), .machine(endpoint: url),
                .webIdentity(endpoint: url, role: "a", session: "b", tokenFile: try file("t")),
            ] {
                #expect {
                    try KeyRequest.keys(from: source, nil)
                } throws: {
                    ($0 as? TransferFailure).map { !$0.words.contains("sec") } ?? false
                }
            }
        }
        #expect(throws: TransferFailure.self) {
            try KeyRequest.keys(from: .machine(endpoint: "http://127.0.0.1:1"), nil)
        }
        #expect(throws: TransferFailure("/nowhere/token cannot be read")) {
            try KeyRequest.keys(
                from: .webIdentity(
                    endpoint: "http://127.0.0.1:1", role: "a", session: "b", tokenFile: "/nowhere/token"), nil
            )
        }
    }

    // MARK: The schedule

    @Test(arguments: [
        (1_200, 900), (1_199, 899), (600, 300), (480, 240), (60, 30), (1, 1), (0, 30), (-5, 30),
        // With a clock that is in 1970 and will be corrected.
        (1_800_000_000, 900), (21_600, 900),
    ])
    func `keys are asked for again well before they end`(left: Int64, pause: Int) {
        var schedule = KeySchedule()
        let now = Timestamp(seconds: 1_000)
        #expect(
            schedule.pause(afterKeysUntil: Timestamp(seconds: 1_000 + left), now: now, areOther: true)
                == .seconds(pause))
        #expect(!schedule.isFailing)
    }

    @Test func `after failures the pauses double up to a minute`() {
        var schedule = KeySchedule()
        let pauses = (0..<9).map { _ in schedule.pauseAfterFailure() }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) } && schedule.isFailing)
        let far = Timestamp(milliseconds: .max)
        let first = Timestamp(milliseconds: .min)
        #expect(schedule.pause(afterKeysUntil: far, now: first, areOther: true) == .seconds(30))
        #expect(schedule.pause(afterKeysUntil: nil, now: far, areOther: true) == KeySchedule.unknown)
        #expect(!schedule.isFailing)
        #expect(schedule.pauseAfterFailure() == .seconds(1))
    }

    @Test(
        arguments: [
            // In order, and with a clock that is set back.
            (25, [0, 10, 20, 25], [10, 10, 5, nil]), (15, [0, -10_000, -10_000], [10, 5, nil]),
            // The machine is stopped for hours.
            (900, [0, 10, 10_000], [10, 10, nil]),
        ] as [(Int64, [Int64], [Int64?])])
    func `a pause ends by its pieces, and by a wall clock that has gone on`(
        seconds: Int64, clock: [Int64], expected: [Int64?]
    ) {
        let start = Timestamp(seconds: 1_000)
        var pause = KeyPause(.seconds(seconds), from: start, patience: KeyPause.piece)
        let pieces = clock.map {
            pause.next(now: start.adding(seconds: $0), areRefused: false)?.components.seconds
        }
        #expect(pieces == expected)
    }

    @Test func `keys that a store has refused end a pause, but not before its patience is over`() {
        let start = Timestamp(seconds: 1_000)
        var pause = KeyPause(.seconds(900), from: start, patience: .seconds(60))
        for _ in 0..<6 { #expect(pause.next(now: start, areRefused: true) == KeyPause.piece) }
        #expect(!pause.areProven)
        var again = pause
        #expect(pause.next(now: start, areRefused: true) == nil && !pause.areProven)
        #expect(again.next(now: start, areRefused: false) == KeyPause.piece && again.areProven)
        #expect(again.next(now: start, areRefused: true) == nil && again.areProven)
    }

    /// The patience, in seconds, after each of several renewals for a refusal.
    private func patience(
        _ schedule: inout KeySchedule, _ count: Int, areOther: Bool, areProven: Bool
    ) -> [Int64] {
        (0..<count).map { _ in
            _ = schedule.noteRest(areRefused: true, areProven: areProven)
            _ = schedule.pause(afterKeysUntil: nil, now: Timestamp(seconds: 1_000), areOther: areOther)
            return schedule.patience.components.seconds
        }
    }

    @Test(arguments: [true, false])
    func `keys that are refused again and again are asked for ever more seldom`(areOther: Bool) {
        var schedule = KeySchedule()
        #expect(schedule.patience == .seconds(30))
        let seconds = patience(&schedule, 7, areOther: areOther, areProven: false)
        #expect(seconds == [60, 120, 240, 480, 900, 900, 900])
        // By this machine's clock they have ended as well.
        let now = Timestamp(seconds: 1_000)
        #expect(schedule.pause(afterKeysUntil: now, now: now, areOther: areOther) == .seconds(60))
        _ = schedule.noteRest(areRefused: false, areProven: true)
        #expect(schedule.patience == .seconds(30))
    }

    @Test func `keys that were good for a while are soon replaced, unless the same ones come`() {
        var schedule = KeySchedule()
        let others = patience(&schedule, 3, areOther: true, areProven: true)
        let same = patience(&schedule, 3, areOther: false, areProven: true)
        #expect(others == [60, 60, 60] && same == [60, 120, 240])
    }

    @Test func `failures of the platform do not count as refusals, and a refusal is told once`() {
        var schedule = KeySchedule()
        let told = (0..<3).map { _ in
            let isTold = schedule.noteRest(areRefused: true, areProven: false)
            _ = schedule.pauseAfterFailure()
            return isTold
        }
        #expect(told == [true, false, false] && schedule.patience == .seconds(30))
        _ = schedule.pause(afterKeysUntil: nil, now: Timestamp(seconds: 1_000), areOther: true)
        #expect(schedule.patience == .seconds(60))
        let isToldAgain = schedule.noteRest(areRefused: true, areProven: false)
        let isTold = schedule.noteRest(areRefused: false, areProven: true)
        #expect(!isToldAgain && !isTold)
        let isToldLater = schedule.noteRest(areRefused: true, areProven: false)
        #expect(isToldLater)
    }
}

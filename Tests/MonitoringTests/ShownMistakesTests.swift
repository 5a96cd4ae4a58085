// SPDX-License-Identifier: Apache-2.0

import Monitoring
import Testing

@Suite("Mistakes in settings are shown without what logs hide")
struct ShownMistakesTests {
    @Test(arguments: [
        (
            "cors.allow: \"https://user:a-password@host\" is no origin",
            "cors.allow: \"https://REDACTED@host\" is no origin"
        ),
        (
            "cors.allow: \"https://user:a-\"pass\" word@host\" is no origin",
            "cors.allow: \"https://REDACTED@host\" is no origin"
        ),
        (
            "pictor.yaml:7: options.watermarks: \"https://host/a b?w=1&sig=a-signature\": no URL",
            "pictor.yaml:7: options.watermarks: \"https://host/a b?w=1&sig=REDACTED\": no URL"
        ),
    ])
    func `a URL that is quoted keeps its password and its signature to itself`(
        mistake: String, shown: String
    ) {
        #expect(ShownMistakes.list([mistake]) == [shown])
    }

    @Test(arguments: [
        "pictor.yaml:3: no such setting: server.lisen; did you mean server.listen?",
        "--cache-memory: cache.memory must be 0B, or bytes from 64KiB on, not \"12Q\"",
        "options.watermarks: \"logo\" is not name=https://… or name=/path/of/a/file",
        "origin.proxy is no http://host:port or socks5://host:port; a user and a password belong into origin.proxy-credentials",
        "/etc/pictor@2/pictor.yaml: No such file or directory",
    ])
    func `a mistake without secrets is shown as it is`(mistake: String) {
        #expect(ShownMistakes.list([mistake]) == [mistake])
    }
}

// SPDX-License-Identifier: Apache-2.0

import SettingsSupport
import Testing

@Suite("A settings file that is not YAML")
struct SettingsSyntaxTests: SettingsSuite {
    @Test(arguments: [
        (
            "cache:\n\tmemory: 1MiB\n",
            "pictor.yaml:2: not YAML: while scanning for the next token: found character that cannot start any token; lines are indented with spaces, not with tabs"
        ),
        (
            "origin:\n  allow-hosts: *.a.test\n",
            "pictor.yaml:2: not YAML: while scanning an alias: did not find expected alphabetic or numeric character; a text that begins with * stands in quotes"
        ),
        (
            "server:\n  listen: [::]:8080\n",
            "pictor.yaml:2: not YAML: while parsing a flow node: did not find expected node content; a text that begins with [ stands in quotes"
        ),
        (
            "cache:\n  memory: 1MiB\n   disk: 1GiB\n",
            "pictor.yaml:3: not YAML: mapping values are not allowed in this context; the line above lacks its colon, or this one is indented too far"
        ),
        (
            "cache\n  memory: 1MiB\n",
            "pictor.yaml:2: not YAML: mapping values are not allowed in this context; the line above lacks its colon, or this one is indented too far"
        ),
        (
            "cache: memory: 1MiB\n",
            "pictor.yaml:1: not YAML: mapping values are not allowed in this context; each setting stands on a line of its own, and a text with a colon in quotes"
        ),
        (
            "cache: memory:\n  disk: 1GiB\n",
            "pictor.yaml:1: not YAML: mapping values are not allowed in this context; each setting stands on a line of its own, and a text with a colon in quotes"
        ),
        (
            "cache\n  memory:\n",
            "pictor.yaml:2: not YAML: mapping values are not allowed in this context; the line above lacks its colon, or this one is indented too far"
        ),
        (
            "cache:\n  memory: 1MiB\n  disk: 1GiB\n  memory: 2MiB\n",
            "pictor.yaml:4: a name stands twice in one mapping: memory"
        ),
        (
            "{cache: {memory: 1MiB, memory: 2MiB}}\n",
            "pictor.yaml:1: a name stands twice in one mapping: memory"
        ),
        (
            "log:\n  level: info\nlog:\n  access: off\n",
            "pictor.yaml:3: a name stands twice in one mapping: log"
        ),
    ])
    func `a file that is not YAML is told by its line`(yaml: String, message: String) {
        #expect(mistakes(yaml: yaml) == [message])
    }

    @Test(arguments: [
        ("origin.allow-hosts: [a.test]\n", "origin.allow-hosts; allow-hosts stands below origin, indented"),
        ("allow-hosts: [a.test]\n", "allow-hosts; allow-hosts stands below origin, indented"),
        ("keys: [a]\n", "keys"), ("orgin:\n  x: y\n", "orgin; did you mean origin?"),
    ])
    func `a setting in the place of a group is told where it belongs`(yaml: String, words: String) {
        #expect(mistakes(yaml: yaml) == ["pictor.yaml:1: no such group: \(words)"])
    }

    @Test(arguments: [
        "keys: [KEY: KEY", "keys: KEY: KEY", "keys: KEY\n  required: all\n  required: all", "\tkeys: KEY",
        "keys: \u{1}KEY", "keys: KEY\n---\nkeys: KEY", "keys: *KEY", "keys:\n    KEY: a\n    KEY: b",
    ])
    func `no mistake of YAML shows what the file holds`(lines: String) {
        let key = "an-example-key-that-nobody-may-use"
        let list = mistakes(yaml: "signatures:\n  \(lines.replacing("KEY", with: key))\n")
        #expect(list.count == 1)
        #expect(list.allSatisfy { !$0.contains(key) }, "\(list)")
    }
}

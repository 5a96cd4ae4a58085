// SPDX-License-Identifier: Apache-2.0

extension OptionTable {
    /// How the picture is delivered, and the preset that stands for further options.
    static let delivery: [RequestOption] = [
        RequestOption(
            "default", delivers: \.fallback, as: ValueGrammar.fallback().optional(), defaultValue: "none",
            meaning:
                "where a client is redirected to (302) if its picture cannot be had; `1` is the source itself"
        ),
        RequestOption(
            "filename", delivers: \.filename, as: ValueGrammar.filename.optional(), defaultValue: "none",
            meaning: "the name under which a browser saves the picture, without its extension"),
        RequestOption(
            "attachment", delivers: \.isAttachment, as: .flag, defaultValue: "0",
            meaning: "lets a browser save the picture instead of showing it"),
        RequestOption(
            "v", delivers: \.version, as: ValueGrammar.version.optional(), defaultValue: "none",
            meaning:
                "any text, which does not change the picture: a new one makes a new URL, so that caches ask anew"
        ),
        RequestOption(
            "encoding", delivers: \.encoding, as: .choice([("base64", .base64)]), defaultValue: "none",
            meaning: "answers with a `data:` URL as text, for a picture of up to 16 MiB"),
        RequestOption(
            "maxage", delivers: \.maxAge, as: ValueGrammar.lifetime.optional(),
            defaultValue: "the original's",
            meaning: "how long clients may keep the answer, within the bounds of the settings"),
        RequestOption(
            "priority", delivers: \.priority, as: .choice(Delivery.Class.allCases.map { ($0.rawValue, $0) }),
            defaultValue: "high", meaning: "`low` waits behind all requests with `high`"),
        RequestOption(
            "preset", values: "a name from the settings",
            meaning: "options that the settings define under this name; options in the URL take precedence",
            role: .preset),
    ]
}

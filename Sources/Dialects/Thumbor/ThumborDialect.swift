// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar
internal import Settings

extension OperationDialect {
    /// `/unsafe/300x200/smart/filters:quality(80)/host/photo.jpg`: the URLs of thumbor 7.
    static func thumbor(
        _ settings: Settings, _ vocabulary: Vocabulary
    ) throws(UnusableSetting) -> OperationDialect {
        OperationDialect(
            name: .thumbor, grammar: .thumbor,
            rules: try OperationRules(settings, settings.thumbor, .thumbor, .escapes), vocabulary: vocabulary)
    }
}

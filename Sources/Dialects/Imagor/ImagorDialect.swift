// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar
internal import Settings

extension OperationDialect {
    /// `/unsafe/fit-in/300x200/filters:fill(white)/host/photo.jpg`: the URLs of imagor 1.
    static func imagor(
        _ settings: Settings, _ vocabulary: Vocabulary
    ) throws(UnusableSetting) -> OperationDialect {
        OperationDialect(
            name: .imagor, grammar: .imagor,
            rules: try OperationRules(settings, settings.imagor, .imagor, .forms), vocabulary: vocabulary,
            readsUnescaped: true)
    }
}

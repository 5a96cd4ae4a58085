// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
package import Settings

extension Settings {
    /// The rule of the settings, with the keys read from wherever they are.
    package var signatureRule: SignatureRule {
        get throws(UnusableSetting) {
            let keys = SignatureKeys(try signatureSecrets)
            let required = signedDialects
            guard keys != nil || required.allSatisfy(\.hasOwnKeys) else {
                throw UnusableSetting(
                    description: "signatures.required: there is no key: set signatures.keys-file")
            }
            return SignatureRule(
                keys: keys, required: required, freePresets: try freePresets,
                freeOptions: Set(signatures.freeOptions.compactMap { OptionTable.option(named: $0)?.name }))
        }
    }

    /// Dialects whose URLs must be signed.
    package var signedDialects: Set<DialectName> {
        signatures.required.contains(DialectName.allWord)
            ? Set(DialectName.allCases) : Set(signatures.required.compactMap(DialectName.init(rawValue:)))
    }

    /// - Throws: for a name that `options.presets` does not define.
    package var freePresets: Set<String> {
        get throws(UnusableSetting) {
            let names = Set(options.presets.map { String($0.prefix { $0 != "=" }) })
            for name in signatures.freePresets where !names.contains(name) {
                throw UnusableSetting(
                    description: "signatures.free-presets: there is no preset \"\(name)\" in options.presets")
            }
            return Set(signatures.freePresets)
        }
    }
}

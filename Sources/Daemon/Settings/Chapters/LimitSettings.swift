// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let limits: [Setting] = [
        .number(
            "limits.renditions-per-original", \.limits.renditionsPerOriginal, 0...100_000,
            "Different renditions made of one picture in any hour; more are a 429, cached ones are always answered. 5,000 of 100 KB are 500 MB, a tenth of what the usual disk holds of them; srcset in all formats needs 200. 0 = any number."
        )
    ]
}

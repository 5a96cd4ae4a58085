// SPDX-License-Identifier: Apache-2.0

/// Pictures whose parts are where they belong and whose numbers are not.
enum PictureGrammar {
    static func make(_ choices: inout Choices) -> [UInt8] {
        let whole: [UInt8] =
            switch choices.number(below: 8) {
            case 0, 1: Array(drawing(&choices).utf8)
            case 2: isoMedia(&choices)
            case 3: webp(&choices)
            case 4: gif(&choices)
            case 5: tiff(&choices, inside: false)
            case 6: png(&choices)
            default: jpeg(&choices)
            }
        return choices.chance(10) ? Array(whole.prefix(choices.number(below: 512))) : whole
    }

    // MARK: SVG

    static func drawing(_ choices: inout Choices) -> String {
        let prelude = choices.pick([
            "", "<?xml version=\"1.0\"?>", "<!-- > -->", "<!DOCTYPE svg [<!ENTITY a \">\">]>", "\u{FEFF}",
            " \n", "<!--", "<?",
        ])
        let name = choices.pick(["svg", "svg", "svg", "s:svg", "SVG", "svgs"])
        let attributes = choices.text(upTo: 6) { attribute(&$0) }
        return prelude + "<" + name + attributes + choices.pick([">", "/>", "", " >", "></\(name)>"])
    }

    private static func attribute(_ choices: inout Choices) -> String {
        let name = choices.pick(["viewBox", "width", "height", "xmlns", "x", "preserveAspectRatio"])
        let quote = choices.pick(["\"", "'", "", "\""])
        let value =
            name == "viewBox"
            ? (0..<choices.pick([4, 4, 4, 3, 5, 0])).map { _ in choices.oddText() }
                .joined(separator: choices.pick([" ", ",", ", ", "\t", "  "]))
            : choices.oddText()
                + choices.pick(["", "px", "em", "%", "in", "cm", "mm", "pt", "pc", "Q", " px", "ex"])
        return " \(name)\(choices.pick(["=", "=", " = ", ""]))\(quote)\(value)\(quote)"
    }

    // MARK: Boxes and chunks

    private static func box(_ type: String, _ content: [UInt8], _ choices: inout Choices) -> [UInt8] {
        let name = Array(type.utf8)
        switch choices.number(below: 12) {
        case 0: return choices.oddBytes(4, bigEndian: true) + name + content
        case 1: return [0, 0, 0, 1] + name + choices.oddBytes(8, bigEndian: true) + content
        case 2: return [0, 0, 0, 0] + name + content
        case 3:
            let size = UInt64(content.count + 16)
            return [0, 0, 0, 1] + name + Choices.bytes(size, 8, bigEndian: true) + content
        default: return Choices.bytes(UInt64(content.count + 8), 4, bigEndian: true) + name + content
        }
    }

    private static func isoMedia(_ choices: inout Choices) -> [UInt8] {
        let brand = choices.pick(["avif", "heic", "mif1", "avis", "xxxx"])
        let start = box("ftyp", Array("\(brand)\0\0\0\0mif1heic".utf8), &choices)
        var properties: [UInt8] = []
        for _ in 0..<choices.number(below: 6) { properties += property(&choices) }
        let associations = choices.chance(70) ? association(&choices) : choices.bytes(12)
        let ipma = box("ipma", associations, &choices)
        let iprp = box("iprp", box("ipco", properties, &choices) + ipma, &choices)
        let pitm = box(
            "pitm", choices.pick([[0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 1], [0, 0]]), &choices)
        let content: [UInt8] = choices.chance(95) ? [0, 0, 0, 0] : []
        return start + box("meta", content + pitm + iprp, &choices)
    }

    private static func association(_ choices: inout Choices) -> [UInt8] {
        let isLong = choices.chance(20)
        var bytes: [UInt8] = [isLong ? 1 : 0, 0, 0, choices.chance(20) ? 1 : 0]
        bytes += choices.chance(90) ? [0, 0, 0, 1] : choices.oddBytes(4, bigEndian: true)
        bytes += isLong ? [0, 0, 0, 1] : [0, 1]
        let count = choices.number(below: 6)
        return bytes + [UInt8(truncatingIfNeeded: count)] + choices.bytes(count * 2)
    }

    private static func property(_ choices: inout Choices) -> [UInt8] {
        let type = choices.pick(["ispe", "irot", "clap", "auxC", "pixi", "colr", "free"])
        let content: [UInt8] =
            switch type {
            case "ispe":
                [0, 0, 0, 0] + choices.oddBytes(4, bigEndian: true) + choices.oddBytes(4, bigEndian: true)
            case "auxC": [0, 0, 0, 0] + Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)
            case "colr": Array(choices.pick(["prof", "rICC", "nclx"]).utf8) + profile(&choices)
            case "clap": (0..<8).flatMap { _ in choices.oddBytes(4, bigEndian: true) }
            default: choices.bytes(6)
            }
        return box(type, content, &choices)
    }

    private static func profile(_ choices: inout Choices) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 128) + choices.oddBytes(4, bigEndian: true)
        for _ in 0..<choices.number(below: 3) {
            bytes += Array(choices.pick(["desc", "cprt"]).utf8) + choices.oddBytes(4, bigEndian: true)
            bytes += choices.oddBytes(4, bigEndian: true)
        }
        bytes += Array(choices.pick(["desc", "mluc"]).utf8) + [0, 0, 0, 0]
        for _ in 0..<4 { bytes += choices.oddBytes(4, bigEndian: true) }
        return bytes + choices.bytes(16)
    }

    private static func webp(_ choices: inout Choices) -> [UInt8] {
        var bytes = Array("RIFF".utf8) + choices.oddBytes(4, bigEndian: false) + Array("WEBP".utf8)
        if choices.chance(80) {
            bytes += chunk("VP8X", [choices.byte(), 0, 0, 0] + choices.bytes(6), &choices)
        }
        for _ in 0..<choices.number(below: 6) {
            let type = choices.pick(["ANMF", "ANIM", "EXIF", "ICCP", "VP8 ", "VP8L", "XMP "])
            let content: [UInt8] =
                switch type {
                case "EXIF": (choices.chance(50) ? Array("Exif\0\0".utf8) : []) + tiff(&choices, inside: true)
                case "ICCP": profile(&choices)
                case "VP8 ": choices.bytes(3) + [0x9D, 0x01, 0x2A] + choices.bytes(4)
                case "VP8L": [0x2F] + choices.bytes(4)
                default: choices.bytes(16)
                }
            bytes += chunk(type, content, &choices)
        }
        return bytes
    }

    private static func chunk(_ type: String, _ content: [UInt8], _ choices: inout Choices) -> [UInt8] {
        let size = choices.chance(90) ? UInt64(content.count) : choices.oddNumber()
        return Array(type.utf8) + Choices.bytes(size, 4, bigEndian: false) + content
            + (content.count % 2 == 0 ? [] : [0])
    }

    private static func png(_ choices: inout Choices) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += [0, 0, 0, 13] + Array("IHDR".utf8) + choices.oddBytes(4, bigEndian: true)
        bytes += choices.oddBytes(4, bigEndian: true) + choices.bytes(5) + choices.bytes(4)
        for _ in 0..<choices.number(below: 5) {
            let type = choices.pick(["tRNS", "eXIf", "pHYs", "iCCP", "tEXt", "acTL"])
            let content = type == "eXIf" ? tiff(&choices, inside: true) : choices.bytes(12)
            let size = choices.chance(90) ? UInt64(content.count) : choices.oddNumber()
            bytes += Choices.bytes(size, 4, bigEndian: true) + Array(type.utf8) + content + [0, 0, 0, 0]
        }
        return bytes + [0, 0, 0, 0] + Array("IDAT".utf8) + [0, 0, 0, 0]
    }

    private static func gif(_ choices: inout Choices) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + choices.oddBytes(2, bigEndian: false)
        let table = choices.pick([0, 0x80, 0x81, 0xF7] as [UInt8])
        bytes += choices.oddBytes(2, bigEndian: false) + [table, 0, 0]
        if table & 0x80 != 0 { bytes += [UInt8](repeating: 0, count: 3 << (Int(table & 7) + 1)) }
        for _ in 0..<choices.number(below: 8) {
            switch choices.number(below: 4) {
            case 0:
                bytes += [0x21, 0xF9, 4, choices.byte()] + choices.oddBytes(2, bigEndian: false) + [0, 0]
            case 1:
                bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1]
                bytes += choices.oddBytes(2, bigEndian: false) + [0]
            default:
                bytes.append(0x2C)
                for _ in 0..<4 { bytes += choices.oddBytes(2, bigEndian: false) }
                bytes += [0, 2, 2, 0x4C, 0x01, choices.chance(90) ? 0 : choices.byte()]
            }
        }
        return bytes + [0x3B]
    }

    private static func jpeg(_ choices: inout Choices) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        for _ in 0..<choices.number(below: 6) {
            let marker = choices.pick([0xC0, 0xC2, 0xE0, 0xE1, 0xE2, 0xDA, 0xC4, 0xD9, 0xFE] as [UInt8])
            let content: [UInt8] =
                switch marker {
                case 0xE0: Array("JFIF\0".utf8) + choices.bytes(9)
                case 0xE1: Array("Exif\0\0".utf8) + tiff(&choices, inside: true)
                case 0xE2: Array("ICC_PROFILE\0".utf8) + [1, 1] + profile(&choices)
                default:
                    [8] + choices.oddBytes(2, bigEndian: true) + choices.oddBytes(2, bigEndian: true)
                        + [choices.pick([3, 1, 4, 0])] + choices.bytes(9)
                }
            let size = choices.chance(90) ? UInt64(content.count + 2) : choices.oddNumber()
            bytes += [0xFF, marker] + Choices.bytes(size, 2, bigEndian: true) + content
        }
        return bytes
    }

    // MARK: TIFF and Exif

    private static func tiff(_ choices: inout Choices, inside: Bool) -> [UInt8] {
        let (isBig, bigEndian) = (choices.chance(inside ? 5 : 30), choices.chance(50))
        let wide = isBig ? 8 : 4
        func number(_ value: UInt64, _ width: Int) -> [UInt8] {
            Choices.bytes(value, width, bigEndian: bigEndian)
        }
        var bytes = Array(bigEndian ? "MM".utf8 : "II".utf8) + number(isBig ? 43 : 42, 2)
        if isBig { bytes += number(8, 2) + number(0, 2) }
        bytes +=
            choices.chance(90) ? number(isBig ? 16 : 8, wide) : choices.oddBytes(wide, bigEndian: bigEndian)
        for _ in 0...choices.number(below: 2) {
            let count = choices.number(below: 6)
            bytes +=
                choices.chance(90)
                ? number(UInt64(count), isBig ? 8 : 2) : choices.oddBytes(isBig ? 8 : 2, bigEndian: bigEndian)
            for _ in 0..<count {
                let tag = choices.pick(
                    [256, 257, 258, 262, 274, 277, 282, 296, 338, 339, 34_675] as [UInt64])
                bytes += number(tag, 2) + number(choices.pick([3, 4, 1, 5, 16, 7, 2]), 2)
                bytes += choices.chance(70) ? number(1, wide) : choices.oddBytes(wide, bigEndian: bigEndian)
                bytes += choices.oddBytes(wide, bigEndian: bigEndian)
            }
            bytes += choices.chance(60) ? number(0, wide) : number(UInt64(bytes.count + wide), wide)
        }
        return bytes
    }
}

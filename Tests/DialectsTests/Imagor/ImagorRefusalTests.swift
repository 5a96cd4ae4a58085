// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("Operations of imagor that Pictor does not have are refused by name")
struct ImagorRefusalTests {
    /// The operations before the picture, and the text of their refusal.
    private static let refused: [(String, String)] = [
        ("20000x1/", "A side of the box is not allowed"), ("99999x99999/", "A side of the box"),
        ("trim/50x50:0x0/", "\"trim\" is not supported"),
        ("filters:fill()/", "\"fill\" are not allowed"),
        ("filters:fill(red):fill(blue)/", "\"fill\" is given more than once"),
        ("filters:text(IMAGOR,20,20)/", "\"text\" is not supported"),
        ("filters:text(a,left-20,2)/", "within it"), ("filters:label(a,1,b-5)/", "within it"),
        ("filters:watermark(w.example/w.png,r-20,0)/", "within it"), ("filters:text()/", "1…200 characters"),
        ("filters:text(a%09b)/", "\"text\" is malformed"),
        ("filters:text(a,x,2)/", "−16384…16384 pixels"), ("filters:text(a,repeat,2)/", "writes a text once"),
        ("filters:text(a,1,2,sans-501)/", "1…500 pixels"), ("filters:text(a,1,2,sans-0)/", "1…500 pixels"),
        ("filters:text(a,1,2,sans-400,red,0,,,,,,,144)/", "1…500 pixels"),
        ("filters:text(a,1,2,sans-9,red,0,,,,,,,x)/", "1…500 pixels"),
        ("filters:text(a,1,2,9,nocolour)/", "a colour"),
        ("filters:text(a,1,2,9,red,101)/", "0…100 as the alpha"),
        ("filters:text(a,1,2,9,red,0,screen)/", "blends them in no other mode"),
        ("filters:text(a,1,2,9,red,0,,101p)/", "0.01p…100p percent"),
        ("filters:text(a,1,2,9,red,0,,wide)/", "0.01p…100p percent"),
        ("filters:text(a,1,2,9,red,0,,f-20)/", "in pixels or a part"),
        ("filters:text(a,1,2,9,red,0,,20,low,true)/", "justifies no lines"),
        ("filters:text(a,1,2,9,red,0,,20,low,false,char)/", "between words"),
        ("filters:text(a,1,2,9,red,0,,20,low,false,word,4)/", "as far apart as the font"),
        ("filters:text(a):label(b)/", "\"label\" is not supported. Pictor writes one text"),
        ("filters:label(IMAGOR,1,2,3)/", "\"label\" is not supported"),
        ("filters:label()/", "1…200 characters"), ("filters:label(a,x,2)/", "−16384…16384 pixels"),
        ("filters:label(a,1,2,501)/", "1…500 as the size"), ("filters:label(a,1,2,9,nocolour)/", "a colour"),
        ("filters:label(a,1,2,9,red,101)/", "0…100 as the alpha"),
        ("filters:label(a,repeat,repeat)/", "writes a text once"),
        ("filters:image(/200x200/a.png,0,0)/", "\"image\" is not supported"),
        ("9x9/1x1/filters:fill(auto)/", "\"padding\" is not supported"),
        ("0.1x0.1:0.9x0.9/3x2/filters:focal(5,5)/", "\"focal\" is not supported"),
        ("3x2/filters:focal(0.1,0.1):focal(5,5)/", "\"focal\" is not supported"),
        ("filters:round_corner()/", "\"round_corner\" are not allowed"),
        ("filters:pixelate(0)/", "\"pixelate\" are not allowed"),
        ("filters:padding(red)/", "\"padding\" are not allowed"),
        ("filters:padding(red,1,a)/", "\"padding\" are not allowed. Allowed: a colour, and one to four"),
        ("0x0/20000x1/filters:fill(red)/", "\"padding\" are not allowed"),
        ("0x0/1x1/filters:fill(red):padding(red,5)/", "\"padding\" is not supported"),
        ("filters:max_bytes(-1)/", "\"max_bytes\" are not allowed. Allowed: 1…1000000000 bytes"),
        ("9x9/1x1/filters:fill(blur)/", "\"padding\" is not supported. Pictor fills margins with a colour"),
        ("filters:attachment(..)/", "\"attachment\" are not allowed. Allowed: a name of 1…78"),
        ("filters:redact()/", "\"redact\" is not supported. Pictor finds no faces"),
        ("filters:redact_oval(blur)/", "\"redact_oval\""),
        ("filters:blurhash(5,3)/", "\"blurhash\" is not supported"),
        ("filters:blurhash(4)/", "\"blurhash\" are not allowed. Allowed: two numbers of 1…9"),
        ("filters:palette()/", "\"palette\""), ("filters:bitdepth(4)/", "\"bitdepth\""),
        ("filters:fallback_format(webp)/", "\"fallback_format\""), ("filters:trim(50)/", "\"trim\""),
        ("filters:format(jp2)/", "\"format(jp2)\" is not supported"),
        ("filters:format(heif)/", "\"format(heif)\" is not supported"),
        ("filters:format(xyz)/", "\"format\" are not allowed. Allowed: avif, bmp, gif"),
        ("filters:to_colorspace(cmyk)/", "\"to_colorspace\" is not supported"),
        ("filters:dpi(300)/", "\"dpi\" is not supported"),
        ("filters:focal(0.5x0.5:0.4x0.9)/", "\"focal\" are not allowed"),
        ("filters:focal(x)/", "\"focal\" are"),
        ("0x10:30x40/3x2/filters:focal(0.5,0.5)/", "\"focal\" is not supported"),
        ("10x10:90x90/3x2/filters:orient(90)/", "\"orient\" is not supported"),
        ("3x2/filters:orient(90):focal(0.2,0.2)/", "\"focal\" is not supported"),
        ("fit-in/300x200/filters:proportion(50)/", "\"proportion\" is not supported"),
        ("10x10:90x90/filters:crop(1,1,2,2)/", "\"crop\" is not supported"),
        ("fit-in/9x9/filters:fill(red):crop(1,1,2,2)/", "\"crop\" is not supported"),
        ("filters:crop(1,2)/", "\"crop\" are not allowed"),
        ("filters:crop(1,1,0,0)/", "\"crop\" are not allowed"),
        ("filters:quality(101)/", "\"quality\" are not allowed"), ("filters:quality(high)/", "\"quality\""),
        ("filters:rotate(45)/", "\"rotate\" are not allowed"), ("filters:rotate(360)/", "\"rotate\""),
        ("filters:orient(-90)/", "\"orient\""), ("filters:blur()/", "\"blur\""),
        ("filters:blur(-1)/", "\"blur\""),
        ("filters:blur(1,2,3)/", "no refusal"), ("filters:sharpen(5)/", "\"sharpen\""),
        ("filters:sharpen()/", "\"sharpen\""), ("filters:hue()/", "\"hue\""),
        ("filters:hue(1e3)/", "\"hue\""),
        ("filters:saturation(-101)/", "\"saturation\""), ("filters:modulate(1,2)/", "\"modulate\""),
        ("filters:proportion(0)/", "\"proportion\""), ("filters:proportion(-10)/", "\"proportion\""),
        ("filters:max_frames(0)/", "\"max_frames\""), ("filters:page(0)/", "\"page\""),
        ("filters:compression(10)/", "\"compression\""), ("filters:max_age(-1)/", "\"max_age\""),
        ("filters:expire(soon)/", "\"expire\" are not allowed. Allowed: unix time in milliseconds"),
        ("filters:expire(9999999999999999)/", "\"expire\""),
        ("filters:watermark(w.example/w.png,-20,-20,0,30,0)/", "percent as the ratio of the height"),
        ("filters:watermark(w.example/w.png,repeat,bottom-5,10)/", "\"watermark\" is not supported"),
        ("filters:watermark(w.example/w.png,repeat,left,10)/", "center, right, top, bottom, or repeat"),
        ("filters:some_filter()/", "There is no filter \"some_filter\". Filters are attachment, autojpg"),
        ("filters:quality(5/", "\"quality\" is malformed"),
    ]

    @Test(arguments: refused)
    func `what cannot be had is named in one sentence`(operations: String, words: String) {
        let message = refusalMessage { try read(imagor: operations) }
        #expect(message.contains(words), "\(message)")
    }
}

# SPDX-License-Identifier: Apache-2.0
"""Drawings that run a script or send a request where a browser shows them as they are. RUN stands for a script, LEAK for a URL that
nobody has to ask for, HTML64 for a document of HTML with that script as a data URL."""

import base64

RUN = "top.ran=1"
HEAD = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='200' height='100'"


def svg(inside, more="", before=""):
    return f"{before}<svg {HEAD} {more}>{inside}<rect width='200' height='100' fill='green'/></svg>"


PAGE = "<html xmlns='http://www.w3.org/1999/xhtml'><body onload='RUN'/></html>"
SCRIPT = "<script xmlns='http://www.w3.org/1999/xhtml'>RUN</script>"

# By name; those of the first table do it in this browser where nothing is taken out of them.
LIVE = {
    "script": svg("<script>RUN</script>"),
    "script in CDATA": svg("<script><![CDATA[RUN]]></script>"),
    "script of another file": svg("<script href='LEAK'/>"),
    "script of another file by xlink": svg("<script xlink:href='LEAK'/>"),
    "script of a data URL": svg("<script href='data:text/javascript,RUN'/>"),
    "script with a prefix": f"<s:svg xmlns:s='http://www.w3.org/2000/svg' width='9' height='9'><s:script>RUN</s:script></s:svg>",
    "script of HTML": svg(SCRIPT),
    "onload of the root": svg("", "onload='RUN'"),
    "onload of an element": svg("<image href='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' onload='RUN'/>"),
    "onerror": svg("<image href='data:image/png;base64,AAAA' onerror='RUN'/>"),
    "onbegin of an animation": svg("<animate attributeName='x' dur='1s' onbegin='RUN'/>"),
    "onclick": svg("<rect width='200' height='100' onclick='RUN'/>"),
    "onmouseover": svg("<rect width='200' height='100' onmouseover='RUN'/>"),
    "onfocus": svg("<a href='#x' tabindex='0' onfocus='RUN'><text y='20'>x</text></a>"),
    "link to a script": svg("<a href='javascript:RUN'><rect width='200' height='100'/></a>"),
    "link to a script by xlink": svg("<a xlink:href='javascript:RUN'><rect width='200' height='100'/></a>"),
    "link to a script with breaks": svg("<a href='java&#10;scr&#9;ipt:RUN'><rect width='200' height='100'/></a>"),
    "link to a script with controls": svg("<a href='&#32;javascript:RUN'><rect width='200' height='100'/></a>"),
    "link to a script in capitals": svg("<a href='JaVaScRiPt:RUN'><rect width='200' height='100'/></a>"),
    "set href": svg("<a><set attributeName='href' to='javascript:RUN'/><rect width='200' height='100'/></a>"),
    "animate href": svg("<a><animate attributeName='href' values='javascript:RUN' fill='freeze' dur='1ms'/><rect width='200' height='100'/></a>"),
    "animate xlink:href": svg("<a><animate attributeName='xlink:href' values='javascript:RUN' fill='freeze' dur='1ms'/><rect width='200' height='100'/></a>"),
    "set href of an image": svg("<image width='9' height='9'><set attributeName='href' to='LEAK'/></image>"),
    "foreignObject with a script": svg(f"<foreignObject width='9' height='9'>{SCRIPT}</foreignObject>"),
    "foreignObject with a picture": svg("<foreignObject width='9' height='9'><img xmlns='http://www.w3.org/1999/xhtml' src='LEAK'/></foreignObject>"),
    "foreignObject with a frame": svg("<foreignObject width='99' height='99'><iframe xmlns='http://www.w3.org/1999/xhtml' src='LEAK'/></foreignObject>"),
    "frame of a document": svg("<foreignObject width='99' height='99'><iframe xmlns='http://www.w3.org/1999/xhtml' srcdoc='&lt;script&gt;RUN&lt;/script&gt;'/></foreignObject>"),
    "image": svg("<image href='LEAK' width='9' height='9'/>"),
    "image by xlink": svg("<image xlink:href='LEAK' width='9' height='9'/>"),
    "feImage": svg("<filter id='f'><feImage href='LEAK'/></filter><rect width='9' height='9' filter='url(#f)'/>"),
    "fill in a style": svg("<image width='9' height='9' style='mask:url(LEAK#a)'/><rect width='9' height='9' style='mask-image:url(LEAK)'/>"),
    "import": svg("<style>@import 'LEAK';</style>"),
    "import by url": svg("<style>@import url(LEAK);</style>"),
    "import behind a comment": svg("<style>/**/@im\\70ort 'LEAK';</style>"),
    "font": svg("<style>@font-face{font-family:leak;src:url(LEAK)} text{font-family:leak}</style><text y='20'>x</text>"),
    "background of the root": svg("<style>svg{background:url(LEAK)}</style>"),
    "list of a sheet": svg("<style>rect{mask-image:image-set(url(LEAK) 1x)}</style>"),
    "escaped url": svg("<style>rect{mask-image:u\\72l(LEAK)}</style>"),
    "cursor": svg("<style>svg{background-image:url('LEAK')}</style>", "style='background:url(\"LEAK\")'"),
    "sheet of the document": svg("", before="<?xml-stylesheet type='text/css' href='LEAK'?>"),
    "link of HTML": svg("<link xmlns='http://www.w3.org/1999/xhtml' rel='stylesheet' href='LEAK'/>"),
    "frame of HTML": svg("<iframe xmlns='http://www.w3.org/1999/xhtml' src='LEAK'/>"),
    "video of HTML": svg("<video xmlns='http://www.w3.org/1999/xhtml' src='LEAK' autoplay=''/>"),
    "base of HTML": svg("<base xmlns='http://www.w3.org/1999/xhtml' href='LEAK/'/><image href='a.png' width='9' height='9'/>"),
    "entity": svg("<a href='&j;'><rect width='200' height='100'/></a>", before="<!DOCTYPE svg [<!ENTITY j 'javascript:RUN'>]>"),
    "entity of elements": svg("&e;", before="<!DOCTYPE svg [<!ENTITY e \"<script xmlns='http://www.w3.org/2000/svg'>RUN</script>\">]>"),
    "default of an attribute": svg("", before="<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'RUN'>]>"),
    "fill of another file": svg("<rect width='9' height='9' fill='url(LEAK#p)'/>"),
    "clip-path of another file": svg("<rect width='9' height='9' clip-path='url(LEAK#p)'/>"),
    "marker of another file": svg("<path d='M0 0L9 9' marker-end='url(LEAK#p)'/>"),
    "desc with HTML": svg(f"<desc>{SCRIPT}</desc>"),
    "namespace": svg("<x:script xmlns:x='http://www.w3.org/2000/svg'>RUN</x:script>"),
    "audio": svg("<audio xmlns='http://www.w3.org/1999/xhtml' src='LEAK' autoplay=''/>"),
    "embed": svg("<embed xmlns='http://www.w3.org/1999/xhtml' src='LEAK'/>"),
    "meta": svg("<meta xmlns='http://www.w3.org/1999/xhtml' http-equiv='refresh' content='0;url=LEAK'/>"),
    "form": svg("<foreignObject width='200' height='100'><form xmlns='http://www.w3.org/1999/xhtml' action='javascript:RUN'><button>x</button></form></foreignObject>"),
    "cursor element": svg("<cursor id='c' href='LEAK'/><rect width='200' height='100' style='cursor:url(LEAK),auto'/>"),
    "comment": svg("<!-- --!><script>RUN</script> -->"),
    "processing instruction": svg("<?x ><script>RUN</script>?>"),
}

# These do nothing in this browser, or only in one of the ways in which they are shown; they are to do nothing either way.
OTHERS = {
    "object of HTML": svg("<object xmlns='http://www.w3.org/1999/xhtml' data='LEAK'/>"),
    "transformation of the document": svg("", before="<?xml-stylesheet type='text/xsl' href='LEAK'?>"),
    "use of another file": svg("<use href='LEAK#a'/>"),
    "use of a data URL": svg("<use href='data:image/svg+xml;base64,SVG#x'/>"),
    "document of a data URL": svg("<a href='HTML64'><rect width='200' height='100'/></a>"),
    "image of a drawing": svg("<image width='9' height='9' href='data:image/svg+xml;base64,SVG'/>"),
    "image of HTML": svg("<image width='9' height='9' href='HTML64'/>"),
    "pattern of another file": svg("<pattern id='p' href='LEAK#p'/><rect width='9' height='9' fill='url(#p)'/>"),
    "filter of another file": svg("<rect width='9' height='9' filter='url(LEAK#p)'/>"),
    "textPath of another file": svg("<text><textPath href='LEAK#p'>x</textPath></text>"),
    "external entity": svg("&e;", before="<!DOCTYPE svg [<!ENTITY e SYSTEM 'LEAK'>]>"),
    "external document type": svg("", before="<!DOCTYPE svg SYSTEM 'LEAK'>"),
    "parameter entity": svg("", before="<!DOCTYPE svg [<!ENTITY % e SYSTEM 'LEAK'> %e;]>"),
    "xml:base": svg("<image href='a.png' width='9' height='9'/>", "xml:base='LEAK/'"),
    "XInclude": svg("<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='LEAK'/>"),
    "handler": svg("<handler type='application/ecmascript' xmlns:ev='http://www.w3.org/2001/xml-events' ev:event='load'>RUN</handler>"),
    "title that ends": svg("<title>&lt;/title>&lt;img src=LEAK onerror=RUN></title>"),
    "text that ends the drawing": svg("<text>&lt;/svg>&lt;script>RUN&lt;/script></text>"),
    "style that ends": svg("<style>&lt;/style>&lt;img src=LEAK onerror=RUN></style>"),
    "style with markup": svg("<style>a{content:'&lt;/style>&lt;script>RUN&lt;/script>'}</style>"),
    "attribute that ends": svg("<g id='\"&gt;&lt;img src=LEAK onerror=RUN&gt;'/>"),
    "mathematics": svg("<math xmlns='http://www.w3.org/1998/Math/MathML'><mi href='javascript:RUN'>x</mi></math>"),
    "set handler": svg("<rect width='200' height='100'><set attributeName='onmouseover' to='RUN'/></rect>"),
    "animate style": svg("<rect width='9' height='9'><animate attributeName='fill' values='url(LEAK#p);red' dur='1s'/></rect>"),
    "ping": svg("<a href='#x' ping='LEAK'><rect width='200' height='100'/></a>"),
}


def filled(text, leak):
    """The drawing with the script and the URL."""
    inner = svg("<script>RUN</script><image href='LEAK' width='9' height='9'/>", "id='x' onload='RUN'")
    code = {name: base64.b64encode(each.replace("RUN", RUN).replace("LEAK", leak).encode()).decode() for name, each in (("SVG", inner), ("PAGE", PAGE))}
    return text.replace("HTML64", f"data:text/html;base64,{code['PAGE']}").replace("base64,SVG", f"base64,{code['SVG']}").replace(
        "RUN", RUN).replace("LEAK", leak)

import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { element, escapeXml, xmlDocument } from './xml.ts'
import { childText, parseXml, xmlBytesMax } from './xml-reader.ts'

test('writes markup and control characters as references', () => {
  expect(escapeXml('a<b>&"c\r\n\t\u0001é')).toBe('a&lt;b&gt;&amp;&quot;c&#xd;\n\t&#x1;é')
  expect(escapeXml('plain')).toBe('plain')
})

test('every valid XML text is read back as written', async () => {
  await assert(
    property(string({ unit: 'grapheme' }), (text) => {
      const document = parseXml(Buffer.from(xmlDocument('Root', element('Key', text))))
      expect(childText(document, 'Key')).toBe(text)
    }),
  )
})

test.each([
  ['an empty document', ''],
  ['an open element', '<a><b></a>'],
  ['a document type', '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
  ['an unknown entity', '<a>&e;</a>'],
  ['too many levels', '<a>'.repeat(17) + '</a>'.repeat(17)],
  ['too many elements', `<a>${'<b/>'.repeat(100_000)}</a>`],
  ['too many attributes', `<a ${Array.from({ length: 9 }, (_, at) => `a${at}=""`).join(' ')}/>`],
  ['too many bytes', `<a>${' '.repeat(xmlBytesMax)}</a>`],
  ['two roots', '<a/><b/>'],
  ['text without an element', 'hello'],
])('rejects %s', (_, text) => {
  expect(() => parseXml(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'MalformedXML' }))
})

test('the limit of attributes is that of one element', () => {
  const attributes = Array.from({ length: 8 }, (_, at) => `a${at}=""`).join(' ')
  expect(parseXml(Buffer.from(`<a ${attributes}><b ${attributes}/></a>`)).children).toMatchObject([{ name: 'b' }])
})

test('rejects bytes that are not UTF-8', () => {
  expect(() => parseXml(Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e]))).toThrow(
    expect.objectContaining({ code: 'MalformedXML' }),
  )
})

test('reads names without their prefix, and text of CDATA sections', () => {
  const document = parseXml(Buffer.from('<s:a xmlns:s="urn:x"><s:b>1<![CDATA[<2>]]></s:b></s:a>'))
  expect(document.name).toBe('a')
  expect(childText(document, 'b')).toBe('1<2>')
})

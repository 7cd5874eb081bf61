/** Shared by the lists of keys: the url encoding of keys, common prefixes and entity tags. */
import { percentDecode, percentEncode } from '../wire/percent-encoding.ts'
import { element } from '../wire/xml.ts'
import { childrenOf, childText, malformed, requireText, type XmlElement } from '../wire/xml-reader.ts'

export type EncodingType = 'url' | undefined

export type EncodeKey = (key: string) => string

export const keyEncoder = (type: EncodingType): EncodeKey => (type === 'url' ? (key) => percentEncode(key, true) : (key) => key)

export function readEncodingType(root: XmlElement): EncodingType {
  return childText(root, 'EncodingType') === 'url' ? 'url' : undefined
}

/** Throws MalformedXML. */
export const keyDecoder =
  (type: EncodingType): EncodeKey =>
  (text) => {
    if (type !== 'url') return text
    const key = percentDecode(text, { plusIsSpace: true })
    if (key === undefined) throw malformed('A key has an invalid url encoding.')
    return key
  }

export function writeCommonPrefixes(prefixes: readonly string[], encode: EncodeKey): string {
  let xml = ''
  for (const prefix of prefixes) xml += `<CommonPrefixes>${element('Prefix', encode(prefix))}</CommonPrefixes>`
  return xml
}

export function readCommonPrefixes(root: XmlElement, decode: EncodeKey): readonly string[] {
  return childrenOf(root, 'CommonPrefixes').map((group) => decode(requireText(group, 'Prefix')))
}

/** Removes its quotes. */
export function readEntityTag(entry: XmlElement): string {
  return requireText(entry, 'ETag').replace(/^"|"$/g, '')
}

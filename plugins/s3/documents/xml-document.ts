import { malformed, parseXml, type XmlElement } from '../wire/xml-reader.ts'

/** One kind of XML document: `parse` reads what `write` makes, and what clients make of it. */
export interface XmlDocument<Value> {
  write(value: Value): string
  /** Throws MalformedXML. */
  parse(bytes: Uint8Array): Value
}

interface Pair<Value> {
  /** Name of the root element. */
  readonly root: string
  readonly write: (value: Value) => string
  readonly read: (root: XmlElement) => Value
}

export function defineDocument<Value>({ root, write, read }: Pair<Value>): XmlDocument<Value> {
  return {
    write,
    parse(bytes) {
      const element = parseXml(bytes)
      if (element.name !== root) throw malformed(`The document must be a ${root}, not a ${element.name}.`)
      return read(element)
    },
  }
}

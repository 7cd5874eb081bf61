/** The element Owner of several documents. */
import { element } from '../wire/xml.ts'
import { childrenOf, childText, type XmlElement } from '../wire/xml-reader.ts'

export function writeOwner(id: string): string {
  return `<Owner>${element('ID', id)}${element('DisplayName', id)}</Owner>`
}

export function readOwner(parent: XmlElement | undefined): string | undefined {
  const [owner] = parent === undefined ? [] : childrenOf(parent, 'Owner')
  return owner && childText(owner, 'ID')
}

/** Elements that describe an open upload, in the lists of uploads and of parts. */
import { element } from '../wire/xml.ts'
import { childrenOf, childText, requireText, type XmlElement } from '../wire/xml-reader.ts'
import { readOwner, writeOwner } from './owner.ts'

export interface UploadFacts {
  /** Owner ID of the user who created the upload. */
  readonly initiator: string
  /** Owner ID of the bucket. */
  readonly owner: string
  /** Words in lower case; undefined when none was requested. */
  readonly checksum: { readonly algorithm: string; readonly type: string } | undefined
}

/** The Initiator has the elements of an Owner. */
export function writeParties({ initiator, owner }: UploadFacts): string {
  return `<Initiator>${element('ID', initiator)}${element('DisplayName', initiator)}</Initiator>${writeOwner(owner)}${element('StorageClass', 'STANDARD')}`
}

export function writeUploadChecksum({ checksum }: UploadFacts): string {
  if (checksum === undefined) return ''
  return `${element('ChecksumAlgorithm', checksum.algorithm.toUpperCase())}${element('ChecksumType', checksum.type)}`
}

export function readUploadFacts(parent: XmlElement): UploadFacts {
  const [initiator] = childrenOf(parent, 'Initiator')
  const algorithm = childText(parent, 'ChecksumAlgorithm')
  return {
    initiator: initiator === undefined ? '' : requireText(initiator, 'ID'),
    owner: readOwner(parent) ?? '',
    checksum: algorithm === undefined ? undefined : { algorithm: algorithm.toLowerCase(), type: requireText(parent, 'ChecksumType') },
  }
}

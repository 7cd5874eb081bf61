import { isoTime } from '../wire/iso-time.ts'
import { element, optionalElement, xmlDocument } from '../wire/xml.ts'
import {
  childFlag,
  childrenOf,
  childText,
  malformed,
  optionalInteger,
  optionalTime,
  requireText,
  type XmlElement,
} from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

interface NamedObject {
  readonly key: string
  readonly versionId: string | undefined
  /** Conditions; the entity tag as sent, with or without quotes. */
  readonly etag: string | undefined
  readonly lastModifiedMs: number | undefined
  readonly size: number | undefined
}

interface DeleteRequest {
  readonly objects: readonly NamedObject[]
  /** Only errors are answered. */
  readonly quiet: boolean
}

const objectsMax = 1000

export const deleteDocument = defineDocument<DeleteRequest>({
  root: 'Delete',
  write({ objects, quiet }) {
    const items = objects.map(({ key, versionId, etag, lastModifiedMs, size }) => {
      const time = lastModifiedMs === undefined ? undefined : isoTime(lastModifiedMs)
      const conditions = `${optionalElement('ETag', etag)}${optionalElement('LastModifiedTime', time)}${optionalElement('Size', size)}`
      return `<Object>${element('Key', key)}${optionalElement('VersionId', versionId)}${conditions}</Object>`
    })
    return xmlDocument('Delete', `${items.join('')}${element('Quiet', quiet)}`)
  },
  read(root) {
    const objects = childrenOf(root, 'Object')
    if (objects.length === 0) throw malformed('The document names no object.')
    if (objects.length > objectsMax) throw malformed(`The document names ${objects.length} objects; at most ${objectsMax} are allowed.`)
    return { objects: objects.map(readObject), quiet: childFlag(root, 'Quiet') }
  },
})

function readObject(object: XmlElement): NamedObject {
  const key = requireText(object, 'Key')
  if (key === '') throw malformed('The element Key is empty.')
  return {
    key,
    versionId: childText(object, 'VersionId') || undefined,
    etag: childText(object, 'ETag'),
    lastModifiedMs: optionalTime(object, 'LastModifiedTime'),
    size: optionalInteger(object, 'Size'),
  }
}

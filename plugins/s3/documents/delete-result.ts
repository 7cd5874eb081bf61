import { element, optionalElement, xmlDocument } from '../wire/xml.ts'
import { childFlag, childrenOf, childText, requireText } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

interface DeletedObject {
  readonly key: string
  /** The removed version; undefined when a delete marker was added. */
  readonly versionId: string | undefined
  /** The delete marker that was added or removed. */
  readonly markerVersionId: string | undefined
}

interface FailedDeletion {
  readonly key: string
  readonly versionId: string | undefined
  readonly code: string
  readonly message: string
}

interface DeleteResult {
  readonly deleted: readonly DeletedObject[]
  readonly errors: readonly FailedDeletion[]
}

const root = 'DeleteResult'

export const deleteResultDocument = defineDocument<DeleteResult>({
  root,
  write({ deleted, errors }) {
    let xml = ''
    for (const { key, versionId, markerVersionId } of deleted) {
      const marker =
        markerVersionId === undefined ? '' : `${element('DeleteMarker', true)}${element('DeleteMarkerVersionId', markerVersionId)}`
      xml += `<Deleted>${element('Key', key)}${optionalElement('VersionId', versionId)}${marker}</Deleted>`
    }
    for (const { key, versionId, code, message } of errors) {
      const place = `${element('Key', key)}${optionalElement('VersionId', versionId)}`
      xml += `<Error>${place}${element('Code', code)}${element('Message', message)}</Error>`
    }
    return xmlDocument(root, xml)
  },
  read: (result) => ({
    deleted: childrenOf(result, 'Deleted').map((item) => ({
      key: requireText(item, 'Key'),
      versionId: childText(item, 'VersionId'),
      markerVersionId: childFlag(item, 'DeleteMarker') ? requireText(item, 'DeleteMarkerVersionId') : undefined,
    })),
    errors: childrenOf(result, 'Error').map((item) => ({
      key: requireText(item, 'Key'),
      versionId: childText(item, 'VersionId'),
      code: requireText(item, 'Code'),
      message: requireText(item, 'Message'),
    })),
  }),
})

import { isoTime } from '../../wire/iso-time.ts'
import { element, optionalElement, xmlDocument } from '../../wire/xml.ts'
import { childFlag, childrenOf, childText, requireInteger, requireText, requireTime } from '../../wire/xml-reader.ts'
import {
  type EncodeKey,
  type EncodingType,
  keyDecoder,
  keyEncoder,
  readCommonPrefixes,
  readEncodingType,
  writeCommonPrefixes,
} from '../keys.ts'
import { readUploadFacts, type UploadFacts, writeParties, writeUploadChecksum } from '../upload-facts.ts'
import { defineDocument } from '../xml-document.ts'

interface ListedUpload extends UploadFacts {
  readonly key: string
  readonly uploadId: string
  readonly createdAtMs: number
}

interface UploadList {
  readonly bucket: string
  readonly keyMarker: string
  readonly uploadIdMarker: string
  /** Markers of the next page; without an upload ID after a common prefix. */
  readonly next: { readonly key: string; readonly uploadId: string | undefined } | undefined
  readonly prefix: string
  readonly delimiter: string
  readonly maxUploads: number
  readonly isTruncated: boolean
  readonly encodingType: EncodingType
  readonly uploads: readonly ListedUpload[]
  readonly commonPrefixes: readonly string[]
}

export const uploadListDocument = defineDocument<UploadList>({
  root: 'ListMultipartUploadsResult',
  write(list) {
    const encode = keyEncoder(list.encodingType)
    const uploads = list.uploads.map((upload) => writeUpload(upload, encode)).join('')
    return xmlDocument('ListMultipartUploadsResult', writeHead(list, encode) + uploads + writeCommonPrefixes(list.commonPrefixes, encode))
  },
  read(root) {
    const decode = keyDecoder(readEncodingType(root))
    const nextKey = childText(root, 'NextKeyMarker')
    return {
      bucket: requireText(root, 'Bucket'),
      keyMarker: decode(childText(root, 'KeyMarker') ?? ''),
      uploadIdMarker: childText(root, 'UploadIdMarker') ?? '',
      next: nextKey === undefined ? undefined : { key: decode(nextKey), uploadId: childText(root, 'NextUploadIdMarker') },
      prefix: decode(childText(root, 'Prefix') ?? ''),
      delimiter: decode(childText(root, 'Delimiter') ?? ''),
      maxUploads: requireInteger(root, 'MaxUploads'),
      isTruncated: childFlag(root, 'IsTruncated'),
      encodingType: readEncodingType(root),
      uploads: childrenOf(root, 'Upload').map((upload) => ({
        key: decode(requireText(upload, 'Key')),
        uploadId: requireText(upload, 'UploadId'),
        createdAtMs: requireTime(upload, 'Initiated'),
        ...readUploadFacts(upload),
      })),
      commonPrefixes: readCommonPrefixes(root, decode),
    }
  },
})

function writeHead(list: UploadList, encode: EncodeKey): string {
  const next = list.next && `${element('NextKeyMarker', encode(list.next.key))}${optionalElement('NextUploadIdMarker', list.next.uploadId)}`
  return [
    element('Bucket', list.bucket),
    element('KeyMarker', encode(list.keyMarker)),
    element('UploadIdMarker', list.uploadIdMarker),
    next ?? '',
    element('Prefix', encode(list.prefix)),
    list.delimiter === '' ? '' : element('Delimiter', encode(list.delimiter)),
    element('MaxUploads', list.maxUploads),
    element('IsTruncated', list.isTruncated),
    optionalElement('EncodingType', list.encodingType),
  ].join('')
}

function writeUpload(upload: ListedUpload, encode: EncodeKey): string {
  const initiated = element('Initiated', isoTime(upload.createdAtMs))
  return `<Upload>${element('Key', encode(upload.key))}${element('UploadId', upload.uploadId)}${writeParties(upload)}${initiated}${writeUploadChecksum(upload)}</Upload>`
}

import { element, xmlDocument } from '../wire/xml.ts'
import { requireText } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

interface CreatedUpload {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
}

const root = 'InitiateMultipartUploadResult'

export const createdUploadDocument = defineDocument<CreatedUpload>({
  root,
  write: ({ bucket, key, uploadId }) =>
    xmlDocument(root, `${element('Bucket', bucket)}${element('Key', key)}${element('UploadId', uploadId)}`),
  read: (found) => ({ bucket: requireText(found, 'Bucket'), key: requireText(found, 'Key'), uploadId: requireText(found, 'UploadId') }),
})

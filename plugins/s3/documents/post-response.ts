import { element, plainXmlDocument } from '../wire/xml.ts'
import { requireText } from '../wire/xml-reader.ts'
import { readEntityTag } from './keys.ts'
import { defineDocument } from './xml-document.ts'

interface PostResponse {
  /** URL of the object. */
  readonly location: string
  readonly bucket: string
  readonly key: string
  /** Has no quotes. */
  readonly etag: string
}

export const postResponseDocument = defineDocument<PostResponse>({
  root: 'PostResponse',
  write: ({ location, bucket, key, etag }) =>
    plainXmlDocument(
      'PostResponse',
      `${element('Location', location)}${element('Bucket', bucket)}${element('Key', key)}${element('ETag', `"${etag}"`)}`,
    ),
  read: (root) => ({
    location: requireText(root, 'Location'),
    bucket: requireText(root, 'Bucket'),
    key: requireText(root, 'Key'),
    etag: readEntityTag(root),
  }),
})

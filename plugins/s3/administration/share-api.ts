/** Admin API endpoints for links to objects. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'

/** The limit of Signature Version 4. */
export const shareSecondsMax = 604_800

const someText = plainText.and('string > 0')

export const showS3Address = defineEndpoint({
  method: 'GET',
  path: '/api/v1/s3-address',
  summary: 'Show where the running S3 API listens, and its region',
  answer: type({
    /** Address and port, such as `:8080`. */
    listens_on: 'string',
    tls: 'boolean',
    region: 'string',
  }),
})

export const shareObject = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/objects/share',
  role: 'operator',
  summary: 'Make a presigned link that reads an object until it expires, signed with the key of an S3 user',
  audit: ['key', 'version_id', 'access_key', 'expires_seconds'],
  params: type({ name: 'string' }),
  body: type({
    key: someText.and('string <= 1024'),
    'version_id?': someText,
    /** Its rights are those of the link: a user that may read the object. */
    access_key: someText,
    expires_seconds: type(`1 <= number.integer <= ${shareSecondsMax}`),
    /** Scheme and host under which clients reach the S3 API, such as `https://s3.example`. */
    endpoint: type('string <= 300')
      .and(/^https?:\/\/[^/?#@\s]+\/?$/)
      .narrow((text, context) => URL.canParse(text) || context.mustBe('a URL')),
  }),
  bytesMax: 16 * 1024,
  answer: type({ url: 'string', expires_at: 'string' }),
  refusals: ['bucket_not_found', 'share_object_not_found', 's3_user_not_found', 'share_user_denied'],
})

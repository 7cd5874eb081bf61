/** Shared by both versions of ListObjects. */
import type { ListPage } from '#plugins/storage'
import { element, escapeXml, optionalElement } from '../wire/xml.ts'
import type { BucketRequest, S3Services } from './operation.ts'
import { ownerElement } from './owner.ts'
import { type EncodeKey, readCount, readEncoding } from './paging.ts'

const keysMax = 1000

interface Listing {
  readonly page: ListPage
  readonly prefix: string
  readonly delimiter: string
  readonly maxKeys: number
  readonly encodingType: string | undefined
  readonly encode: EncodeKey
}

const emptyPage: ListPage = { entries: [], commonPrefixes: [], isTruncated: false }

/** One page of keys and common prefixes after `after` (may be empty). Throws InvalidArgument. */
export async function readListing({ bucket, query }: BucketRequest, { objects }: S3Services, after: string): Promise<Listing> {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const maxKeys = readCount(query, 'max-keys', { fallback: keysMax, max: keysMax })
  const { type: encodingType, encode } = readEncoding(query)
  const request = {
    bucket: bucket.name,
    limit: maxKeys,
    ...(prefix && { prefix }),
    ...(delimiter && { delimiter }),
    ...(after && { after }),
  }
  const page = maxKeys === 0 ? emptyPage : await objects.list(request)
  return { page, prefix, delimiter, maxKeys, encodingType, encode }
}

/** Leading elements of both versions, without their markers. */
export function listingHead({ maxKeys, delimiter, encodingType, encode, page }: Listing): string {
  return `${element('MaxKeys', maxKeys)}${delimiter === '' ? '' : element('Delimiter', encode(delimiter))}${optionalElement('EncodingType', encodingType)}${element('IsTruncated', page.isTruncated)}`
}

/** Contents and CommonPrefixes. `owner`: undefined to omit owners. */
export function listingEntries({ page, encode }: Listing, owner: string | null | undefined): string {
  const ownerXml = owner === undefined ? '' : ownerElement(owner)
  let entries = ''
  for (const { key, lastModifiedMs, etag, size } of page.entries) {
    entries += `<Contents><Key>${escapeXml(encode(key))}</Key><LastModified>${new Date(lastModifiedMs).toISOString()}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size>${ownerXml}<StorageClass>STANDARD</StorageClass></Contents>`
  }
  for (const prefix of page.commonPrefixes) entries += `<CommonPrefixes>${element('Prefix', encode(prefix))}</CommonPrefixes>`
  return entries
}

/** Shared by both versions of ListObjects. */
import type { ListedKey, ListPage } from '#plugins/storage'
import type { ObjectList } from '../../documents/lists/list-objects.ts'
import { readCount, readEncodingType } from '../../wire/query.ts'
import type { BucketRequest, S3Services } from '../operation.ts'

const keysMax = 1000

const emptyPage: ListPage<ListedKey> = { entries: [], commonPrefixes: [], isTruncated: false }

interface Listing extends Omit<ObjectList, 'owner' | 'owners' | 'entries'>, Pick<ListPage<ListedKey>, 'entries'> {
  /** Last key or common prefix of a truncated page. */
  readonly next: string | undefined
}

interface Wanted {
  /** May be empty. */
  readonly after: string
  readonly withVersionIds: boolean
}

/** One page of keys and common prefixes. Throws InvalidArgument. */
export async function readListing(
  { bucket, query }: BucketRequest,
  { objects }: S3Services,
  { after, withVersionIds }: Wanted,
): Promise<Listing> {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const maxKeys = readCount(query, 'max-keys', { fallback: keysMax, max: keysMax })
  const encodingType = readEncodingType(query)
  const request = {
    bucket,
    limit: maxKeys,
    withVersionIds,
    ...(prefix && { prefix }),
    ...(delimiter && { delimiter }),
    ...(after && { after }),
  }
  const { entries, commonPrefixes, isTruncated, last } = maxKeys === 0 ? emptyPage : await objects.listKeys(request)
  const next = isTruncated ? last : undefined
  return { bucket: bucket.name, prefix, delimiter, maxKeys, encodingType, entries, commonPrefixes, isTruncated, next }
}

/** The owner of the bucket, and by version ID the other owners of listed objects. */
export async function findListedOwners({ bucket }: BucketRequest, { accessLists }: S3Services, { entries }: Pick<Listing, 'entries'>) {
  const ids = entries.map(({ versionId = '' }) => versionId)
  return { owner: accessLists.rulesOf(bucket).owner, owners: await accessLists.ownersOf(bucket, 'versions', ids) }
}

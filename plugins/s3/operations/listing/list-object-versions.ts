import type { VersionPage } from '#plugins/storage'
import { versionListDocument } from '../../documents/lists/list-object-versions.ts'
import { type Query, readCount, readEncodingType } from '../../wire/query.ts'
import { invalidArgument } from '../../wire/s3-error.ts'
import { type Operation, xmlAnswer } from '../operation.ts'

const entriesMax = 1000
const emptyPage: VersionPage = { versions: [], commonPrefixes: [], isTruncated: false }

/** Versions and delete markers, sorted by key in byte order, then newest first. */
export const listObjectVersions: Operation = {
  scope: 'bucket',
  async run({ bucket, query }, { versions, accessLists }) {
    const place = readPlace(query)
    const { prefix, delimiter, keyMarker, versionIdMarker } = place
    const maxKeys = readCount(query, 'max-keys', { fallback: entriesMax, max: entriesMax })
    const encodingType = readEncodingType(query)
    const request = { bucket, limit: maxKeys, prefix, delimiter, keyMarker, ...(versionIdMarker && { versionIdMarker }) }
    const page = maxKeys === 0 ? emptyPage : await versions.list(request)
    const next = page.isTruncated && page.last ? { key: page.last.key, versionId: page.last.versionId } : undefined
    const { owner } = accessLists.rulesOf(bucket)
    const ids = page.versions.map(({ versionId }) => versionId)
    const owners = await accessLists.ownersOf(bucket, 'versions', ids)
    return xmlAnswer(versionListDocument.write({ bucket: bucket.name, ...place, ...page, next, maxKeys, encodingType, owner, owners }))
  },
}

/** Throws InvalidArgument. */
function readPlace(query: Query) {
  const [keyMarker, versionIdMarker] = [query.get('key-marker') ?? '', query.get('version-id-marker') ?? '']
  if (versionIdMarker !== '' && keyMarker === '') {
    throw invalidArgument('version-id-marker', versionIdMarker, 'A version-id marker cannot be specified without a key marker.')
  }
  return { prefix: query.get('prefix') ?? '', delimiter: query.get('delimiter') ?? '', keyMarker, versionIdMarker }
}

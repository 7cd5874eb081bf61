import type { Reader } from '#kernel'
import { type Cursor, listVersionRows, rseqMin } from '../catalog/versions/history-store.ts'
import { justAfter } from '../catalog/versions/key-order-policy.ts'
import { StoredVersion, type VersionRow } from '../catalog/versions/stored-version.ts'
import type { ListVersionsRequest, VersionPage } from '../contract.ts'
import { listPlaces, type PlaceOrder } from '../objects/place-listing.ts'
import { rseqAfter } from './list-history.ts'

export async function listVersions(read: Reader, bucketId: number, request: Omit<ListVersionsRequest, 'bucket'>): Promise<VersionPage> {
  const { keyMarker: marker = '', versionIdMarker } = request
  /** Key of the previous version: only the first version of a key is current. */
  let keyBefore: string | undefined
  const before = (key: string): Cursor => ({ key, rseq: rseqMin })
  const order: PlaceOrder<VersionRow, StoredVersion, Cursor> = {
    rows: (after, high, limit) => listVersionRows(read, { bucketId, after, high }, limit),
    before,
    after: ({ key, rseq }) => ({ key, rseq }),
    async start() {
      if (versionIdMarker === undefined) return before(justAfter(marker))
      keyBefore = marker
      return { key: marker, rseq: await rseqAfter(read, { bucketId, key: marker }, versionIdMarker) }
    },
    itemOf(row) {
      const isCurrent = row.key !== keyBefore
      keyBefore = row.key
      return new StoredVersion(row, isCurrent)
    },
  }
  const { items: versions, last, ...page } = await listPlaces(order, { ...request, marker })
  const end = typeof last === 'string' ? { key: last } : last && { key: last.key, versionId: last.versionId }
  return { versions, ...page, ...(end && { last: end }) }
}

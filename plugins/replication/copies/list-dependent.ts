import type { Reader } from '#kernel'
import { rseqMin } from '../../storage/catalog/history-store.ts'
import { compareKeys, justAfter, successorOf } from '../../storage/catalog/key-order-policy.ts'
import type { Versions } from '../../storage/contract.ts'
import { rseqAfter } from '../../storage/versions/list-history.ts'
import { listDependentVersions } from './dependent-store.ts'

/** Above every key. */
const noBound = '\u{10ffff}\u{10ffff}'

/** One page of the versions that have a committed copy on one of the data sets. */
export function listDependent(
  read: Reader,
  bucketId: number,
  request: Omit<Parameters<Versions['onDataSets']>[0], 'bucket'>,
): ReturnType<Versions['onDataSets']> {
  const { dataSetIds, prefix = '', key, after, limit } = request
  if (dataSetIds.length === 0) return { versions: [], isTruncated: false }
  const low = key ?? prefix
  const rows = listDependentVersions(read, {
    bucketId,
    dataSetIds,
    after:
      after && compareKeys(after.key, low) >= 0
        ? { key: after.key, rseq: rseqAfter(read, { bucketId, key: after.key }, after.versionId) }
        : { key: low, rseq: rseqMin },
    high: key === undefined ? (successorOf(prefix) ?? noBound) : justAfter(key),
    limit: limit + 1,
  })
  return { versions: rows.slice(0, limit), isTruncated: rows.length > limit }
}

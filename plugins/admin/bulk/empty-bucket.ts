import { SvcError } from '#kernel'
import type { Buckets, Versions } from '#plugins/storage'
import type { BulkAction } from './bulk-action-store.ts'

/** Versions that one transaction deletes. */
const pageSize = 200

interface EmptyDeps {
  readonly buckets: Pick<Buckets, 'delete'>
  readonly versions: Pick<Versions, 'list' | 'deleteMany'>
}

/** `deleted`: the bucket is gone. `written`: a version is newer than the request, so that nothing more is deleted. */
type Emptied = { readonly kind: 'page'; readonly done: number } | { readonly kind: 'deleted' } | { readonly kind: 'written' }

/** Deletes a page of the versions of a bucket; without any, the bucket. It ends as by DeleteBucket of S3: open uploads are aborted, data sets end. */
export async function emptyBucket(
  { buckets, versions }: EmptyDeps,
  action: Pick<BulkAction, 'bucketId' | 'bucket' | 'createdAtMs'>,
): Promise<Emptied> {
  const bucket = { id: action.bucketId, name: action.bucket }
  try {
    const page = await versions.list({ bucket, limit: pageSize })
    if (page.versions.some(({ createdAtMs }) => createdAtMs > action.createdAtMs)) return { kind: 'written' }
    if (page.versions.length === 0) {
      await buckets.delete(bucket)
      return { kind: 'deleted' }
    }
    const items = page.versions.map(({ key, versionId }) => ({ key, versionId }))
    const outcomes = await versions.deleteMany({ bucket, items })
    return { kind: 'page', done: outcomes.filter(({ kind }) => kind === 'removed').length }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    // An earlier run deleted it, or a client did.
    if (error.code === 'bucket_not_found') return { kind: 'deleted' }
    if (error.code === 'bucket_not_empty') return { kind: 'written' }
    throw error
  }
}

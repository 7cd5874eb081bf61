/** What each bulk action does with a page of objects. Objects that changed since the request are skipped. */
import { SvcError } from '#kernel'
import type { BucketRef, ObjectVersion, Versions } from '#plugins/storage'
import type { BulkAction } from './bulk-action-store.ts'
import type { Deleted } from './bulk-page.ts'

export interface Counts {
  readonly done: number
  readonly skipped: number
  readonly busy: number
}

interface StepDeps {
  readonly versions: Pick<Versions, 'deleteMany' | 'deleteObjectPermanently' | 'restoreDeleted'>
  readonly signal: AbortSignal
}

type Request = Pick<BulkAction, 'bucketId' | 'bucket' | 'createdAtMs'>

const refOf = ({ bucketId, bucket }: Request): BucketRef => ({ id: bucketId, name: bucket })

/** Adds delete markers, in one transaction. Objects that were uploaded after the request stay. */
export async function moveToTrash({ versions }: StepDeps, request: Request, keys: readonly string[]): Promise<Counts> {
  if (keys.length === 0) return { done: 0, skipped: 0, busy: 0 }
  const condition = (current: ObjectVersion | undefined) => {
    if (!current || current.isDeleteMarker || current.createdAtMs > request.createdAtMs) throw new Error('the object changed since')
  }
  const outcomes = await versions.deleteMany({ bucket: refOf(request), items: keys.map((key) => ({ key, condition })) })
  const done = outcomes.filter(({ kind }) => kind === 'marked').length
  return { done, skipped: outcomes.length - done, busy: 0 }
}

export const restoreFromTrash = (deps: StepDeps, request: Request, page: readonly Deleted[]): Promise<Counts> =>
  oneByOne(deps, { request, page }, (place) => deps.versions.restoreDeleted(place))

export const deletePermanently = (deps: StepDeps, request: Request, page: readonly Deleted[]): Promise<Counts> =>
  oneByOne(deps, { request, page }, (place) => deps.versions.deleteObjectPermanently(place))

/** The object was changed by another client. */
const changedCodes: readonly string[] = ['object_not_found', 'object_version_changed', 'object_version_not_deletable', 'version_not_found']

async function oneByOne(
  { signal }: StepDeps,
  { request, page }: { readonly request: Request; readonly page: readonly Deleted[] },
  change: (place: { bucket: BucketRef; key: string; versionId: string }) => Promise<unknown>,
): Promise<Counts> {
  let [done, skipped, busy] = [0, 0, 0]
  for (const { key, markerVersionId, deletedAtMs } of page) {
    signal.throwIfAborted()
    if (deletedAtMs > request.createdAtMs) {
      skipped += 1
      continue
    }
    try {
      await change({ bucket: refOf(request), key, versionId: markerVersionId })
      done += 1
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      if (error.code === 'object_storage_busy') busy += 1
      else if (changedCodes.includes(error.code)) skipped += 1
      else throw error
    }
  }
  return { done, skipped, busy }
}

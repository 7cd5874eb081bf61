/** Deletes what rules say, a page in one transaction, which sees that the rules and the versions are still the same. */
import { type Log, SvcError, type Tx } from '#kernel'
import type { LifecycleRules } from '#plugins/s3'
import type { BucketRef, DeleteItem, Objects, ObjectVersion, Upload, Uploads, Versions } from '#plugins/storage'
import { isUploadDue, judgeVersion, type Rules } from '../rules/expiry-policy.ts'
import type { Judgement } from '../rules/walk-policy.ts'
import type { Counts } from './run-store.ts'

/** The rules of the bucket changed since they were read. Nothing of the page was deleted. */
export class RulesChanged extends Error {
  override readonly name = 'RulesChanged'
}

export interface DeleteDeps {
  readonly lifecycleRules: Pick<LifecycleRules, 'hold'>
  readonly objects: Pick<Objects, 'find'>
  readonly versions: Pick<Versions, 'list' | 'deleteMany'>
  readonly uploads: Pick<Uploads, 'list' | 'abort'>
  /** Rejects when the run lost its lease (I-06). */
  holdLease(tx: Tx): Promise<void>
  readonly log: Log
}

export interface Work {
  readonly bucket: Exclude<BucketRef, string>
  readonly by: Rules
  /** Names the state of the rules in `by`. */
  readonly revision: string
  readonly failures: Failures
}

/** More failed deletions of a run than this are not about single versions: it ends with the error. */
export const failuresMax = 100

/** Failed deletions that a run still passes. */
export interface Failures {
  left: number
}

export const noCounts: Counts = { marked: 0, removed: 0, markersRemoved: 0, aborted: 0 }

/** A client changed the key after its versions were judged. */
class VersionChanged extends Error {}

/** A version whose deletion fails every time stays, and does not keep the keys behind it. */
export async function deleteVersions(deps: DeleteDeps, work: Work, judgements: readonly Judgement<ObjectVersion>[]): Promise<Counts> {
  if (judgements.length === 0) return noCounts
  const items = itemsOf(work.by, judgements)
  try {
    return await deleteTogether(deps, work, items)
  } catch (error) {
    if (endsRun(error)) throw error
    return await oneByOne(deps, work, items, (item) => deleteTogether(deps, work, [item]))
  }
}

async function deleteTogether(deps: DeleteDeps, work: Work, items: readonly DeleteItem[]): Promise<Counts> {
  const outcomes = await deps.versions.deleteMany({ bucket: work.bucket, items, guard: guardOf(deps, work) })
  const failed = outcomes.find((outcome) => outcome.kind === 'refused' && !(outcome.error instanceof VersionChanged))
  if (failed?.kind === 'refused') throw failed.error
  return {
    ...noCounts,
    marked: outcomes.filter(({ kind }) => kind === 'marked').length,
    removed: outcomes.filter((outcome) => outcome.kind === 'removed' && !outcome.isDeleteMarker).length,
    markersRemoved: outcomes.filter((outcome) => outcome.kind === 'removed' && outcome.isDeleteMarker).length,
  }
}

/** Whether the error is about the run or its bucket, and not about a version. */
const endsRun = (error: unknown): boolean =>
  error instanceof RulesChanged || (error instanceof SvcError && error.code === 'bucket_not_found')

/** Passes those that fail. Throws when the run lost its lease, or when too many failed. */
async function oneByOne<T extends { readonly key: string }>(
  deps: DeleteDeps,
  work: Work,
  items: readonly T[],
  end: (item: T) => Promise<Counts>,
): Promise<Counts> {
  let counts = noCounts
  const failed: { readonly key: string; readonly error: unknown }[] = []
  for (const item of items) {
    try {
      counts = sumOf(counts, await end(item))
    } catch (error) {
      if (endsRun(error)) throw error
      // Rejects when the run lost its lease, or the database does not answer.
      await deps.versions.deleteMany({ bucket: work.bucket, items: [], guard: guardOf(deps, work) })
      if (work.failures.left === 0) throw error
      work.failures.left -= 1
      failed.push({ key: item.key, error })
    }
  }
  const [first] = failed
  if (!first) return counts
  const { key, error } = first
  deps.log.warn('lifecycle rules could not delete what has expired; it stays until the next run', {
    ...{ bucket: work.bucket.name, failed: failed.length, key, error },
  })
  return counts
}

const sumOf = (a: Counts, b: Counts): Counts => ({
  marked: a.marked + b.marked,
  removed: a.removed + b.removed,
  markersRemoved: a.markersRemoved + b.markersRemoved,
  aborted: a.aborted + b.aborted,
})

/** The oldest version of a key comes first: when its condition is evaluated, the newer ones exist that the walk has seen. */
function itemsOf(by: Rules, judgements: readonly Judgement<ObjectVersion>[]): readonly DeleteItem[] {
  const items: DeleteItem[] = []
  let [key, newerRemoved] = ['', 0]
  for (const judgement of judgements) {
    const { version, verdict } = judgement
    if (version.key !== key) [key, newerRemoved] = [version.key, 0]
    items.push(verdict === 'mark' ? markItem(by, judgement) : removeItem(by, judgement, newerRemoved))
    if (!version.isDeleteMarker && !version.isCurrent) newerRemoved += 1
  }
  return items.toReversed()
}

function markItem(by: Rules, { version: { key, versionId }, standing }: Judgement<ObjectVersion>): DeleteItem {
  const condition = (current: ObjectVersion | undefined) => {
    // Its tags may have been changed.
    if (current?.versionId !== versionId || judgeVersion(by, current, standing) !== 'mark') throw new VersionChanged()
  }
  return { key, condition }
}

/** `newerRemoved`: noncurrent versions of the key that the page deletes too, and that do not count as newer ones that stay. */
function removeItem(by: Rules, { version, standing }: Judgement<ObjectVersion>, newerRemoved: number): DeleteItem {
  const { key, versionId, isCurrent } = version
  const newerKept = Math.max(0, ...by.rules.map(({ noncurrent }) => noncurrent?.newerKept ?? 0))
  return {
    key,
    versionId,
    newerMax: newerKept + newerRemoved,
    condition(found, { nextAtMs, noncurrent }) {
      if (found?.isCurrent !== isCurrent) throw new VersionChanged()
      // A client deleted the delete marker above it and stored the key again: it is noncurrent only since the newer version exists.
      if (!isCurrent && (nextAtMs === undefined || nextAtMs > by.atMs)) throw new VersionChanged()
      const now = { ...standing, newerNoncurrent: Math.max(0, Math.min(standing.newerNoncurrent, noncurrent - newerRemoved)) }
      if (judgeVersion(by, found, now) !== 'remove') throw new VersionChanged()
    },
  }
}

/** Throws `RulesChanged`, or `LeaseLost`. */
const guardOf =
  ({ lifecycleRules, holdLease }: DeleteDeps, { bucket, revision }: Work) =>
  async (tx: Tx): Promise<void> => {
    await holdLease(tx)
    if ((await lifecycleRules.hold(tx, bucket.id)) !== revision) throw new RulesChanged()
  }

export async function abortUploads(deps: DeleteDeps, work: Work, uploads: readonly Upload[]): Promise<Counts> {
  const due = uploads.filter((upload) => isUploadDue(work.by, upload))
  return await oneByOne(deps, work, due, async ({ key, id }) => {
    try {
      await deps.uploads.abort({ bucket: work.bucket, key, uploadId: id, guard: guardOf(deps, work) })
      return { ...noCounts, aborted: 1 }
    } catch (error) {
      // A client completed or aborted it after it was listed.
      if (error instanceof SvcError && error.code === 'upload_not_found') return noCounts
      throw error
    }
  })
}

/** Deletes what rules say, a page in one transaction, which sees that the rules and the versions are still the same. */
import { SvcError, type Tx } from '#kernel'
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
}

export interface Work {
  readonly bucket: Exclude<BucketRef, string>
  readonly by: Rules
  /** Names the state of the rules in `by`. */
  readonly revision: string
}

export const noCounts: Counts = { marked: 0, removed: 0, markersRemoved: 0, aborted: 0 }

/** A client changed the key after its versions were judged. */
class VersionChanged extends Error {}

export async function deleteVersions(deps: DeleteDeps, work: Work, judgements: readonly Judgement<ObjectVersion>[]): Promise<Counts> {
  if (judgements.length === 0) return noCounts
  const outcomes = await deps.versions.deleteMany({
    bucket: work.bucket,
    items: judgements.map((judgement) => itemOf(work.by, judgement)),
    guard: guardOf(deps, work),
  })
  const failed = outcomes.find((outcome) => outcome.kind === 'refused' && !(outcome.error instanceof VersionChanged))
  if (failed?.kind === 'refused') throw failed.error
  return {
    ...noCounts,
    marked: outcomes.filter(({ kind }) => kind === 'marked').length,
    removed: outcomes.filter((outcome) => outcome.kind === 'removed' && !outcome.isDeleteMarker).length,
    markersRemoved: outcomes.filter((outcome) => outcome.kind === 'removed' && outcome.isDeleteMarker).length,
  }
}

function itemOf(by: Rules, { version, verdict }: Judgement<ObjectVersion>): DeleteItem {
  const { key, versionId, isCurrent } = version
  if (verdict === 'mark') {
    const standing = { newerNoncurrent: 0, isOnly: false }
    const condition = (current: ObjectVersion | undefined) => {
      // Its tags may have been changed.
      if (current?.versionId !== versionId || judgeVersion(by, current, standing) !== 'mark') throw new VersionChanged()
    }
    return { key, condition }
  }
  return {
    key,
    versionId,
    condition(found) {
      if (found?.isCurrent !== isCurrent) throw new VersionChanged()
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
  let aborted = 0
  for (const { key, id } of uploads.filter((upload) => isUploadDue(work.by, upload))) {
    try {
      await deps.uploads.abort({ bucket: work.bucket, key, uploadId: id, guard: guardOf(deps, work) })
      aborted += 1
    } catch (error) {
      // A client completed or aborted it after it was listed.
      if (!(error instanceof SvcError) || error.code !== 'upload_not_found') throw error
    }
  }
  return { ...noCounts, aborted }
}

import { SvcError } from '#kernel'
import { replicationErrors } from '../errors.ts'
import type { GroupRelease } from './confirmation-api.ts'
import { attemptIdOf, entriesOfAttempt } from './confirmation-store.ts'
import { type ReleaseCopyDeps, releaseCopy } from './release-copy.ts'

/** Copies that one request tries, and the time after which it begins no further one. */
const copiesMax = 1000
const attemptMs = 15_000

interface Release {
  readonly attemptId: string
  readonly isAcknowledged: boolean
}

/**
 * Releases the copies of an attempt that still need an operator, one after the other: each is looked up on the chain just before, and one
 * that landed or changed is refused. A silent chain ends the request.
 * @throws replicationErrors storage_confirmation_…, when nothing was released
 */
export async function releaseAttempt(deps: ReleaseCopyDeps, { attemptId, isAcknowledged }: Release): Promise<GroupRelease> {
  const untilMs = deps.clock.now() + attemptMs
  const entries = await entriesOfAttempt(deps.database.read, attemptId, copiesMax + 1)
  const [first] = entries
  if (!first) throw replicationErrors.storage_confirmation_not_found()
  if (!isAcknowledged) throw replicationErrors.storage_confirmation_unacknowledged()
  if (attemptIdOf(first) !== attemptId) throw replicationErrors.storage_confirmation_changed()
  const refusals: GroupRelease['refusals'] = []
  let released = 0
  let isCut = entries.length > copiesMax
  for (const { copyId } of entries.slice(0, copiesMax)) {
    if (deps.clock.now() >= untilMs) {
      isCut = true
      break
    }
    const refusal = await tryRelease(deps, { copyId, attemptId, isAcknowledged })
    if (refusal === undefined) {
      released += 1
      continue
    }
    if (refusal.code === 'storage_confirmation_unchecked') {
      if (released === 0) throw replicationErrors.storage_confirmation_unchecked()
      isCut = true
      break
    }
    refusals.push({ copy_id: copyId, code: refusal.code, error: refusal.message })
  }
  return { attempt_id: attemptId, released, refused: refusals.length, refusals, has_more: isCut }
}

/** Returns the refusal of the copy; undefined when it was released. */
async function tryRelease(deps: ReleaseCopyDeps, release: Parameters<typeof releaseCopy>[1]): Promise<SvcError | undefined> {
  try {
    await releaseCopy(deps, release)
    return undefined
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return error
  }
}

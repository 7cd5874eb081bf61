import { BoundedMap } from '#kernel'
import type { Replacement, ReplacementProgress } from '../contract/records.ts'
import type { Replacements } from '../contract.ts'
import { replacementErrors } from '../errors.ts'
import { findReplacement, listReplacements, type ReplacementRow } from '../records/replacement-store.ts'
import { listCandidates } from './candidates.ts'
import { type ConfirmDeps, confirmReplacement } from './confirm.ts'
import { type ProgressDeps, readProgress } from './progress.ts'
import { type RetryDeps, retryReplacement, whyNotRetried } from './retry.ts'

type ReplacementsDeps = ConfirmDeps & RetryDeps & ProgressDeps

/** Counting a million items takes about 40 ms: callers share a count for this long. */
const countKeptMs = 2000
const countsKept = 256

export function createReplacements(deps: ReplacementsDeps): Replacements {
  const { database } = deps
  const progress = shareProgress(deps)
  return {
    async confirm(command, record) {
      const { replacement, isRepeat } = await confirmReplacement(deps, command, record)
      return { replacement: toReplacement(replacement), isRepeat }
    },
    retry: async (id) => toReplacement(await retryReplacement(deps, id)),
    async find(id) {
      const row = await findReplacement(database.read, id)
      return row && toReplacement(row)
    },
    list: async (filter) => (await listReplacements(database.read, filter)).map(toReplacement),
    candidates: (place) => listCandidates(deps, place),
    progress: ({ id }) => progress(id),
    canRetry: async ({ id }) => {
      const row = await findReplacement(database.read, id)
      return row !== undefined && (await whyNotRetried(deps, database.read, row)) === undefined
    },
  }
}

function shareProgress(deps: ProgressDeps): (id: number) => Promise<ReplacementProgress> {
  const counts = new BoundedMap<number, { readonly progress: Promise<ReplacementProgress>; readonly untilMs: number }>(countsKept)
  return (id) => {
    const known = counts.get(id)
    if (known && deps.clock.now() < known.untilMs) return known.progress
    const progress = readProgress(deps, id).then((found) => {
      if (!found) throw replacementErrors.replacement_not_found()
      return found
    })
    counts.set(id, { progress, untilMs: deps.clock.now() + countKeptMs })
    return progress
  }
}

/** Leaves out what only the engine reads. */
function toReplacement({
  seedingId,
  seededTo,
  isSeeded,
  sweptTo,
  itemsTotal,
  itemsCopied,
  itemsNoLongerNeeded,
  ...replacement
}: ReplacementRow): Replacement {
  return replacement
}

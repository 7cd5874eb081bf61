import type { Replacement } from '../contract/records.ts'
import type { Replacements } from '../contract.ts'
import { replacementErrors } from '../errors.ts'
import { findReplacement, listReplacements, type ReplacementRow } from '../records/replacement-store.ts'
import { listCandidates } from './candidates.ts'
import { type ConfirmDeps, confirmReplacement } from './confirm.ts'
import { type ProgressDeps, readProgress } from './progress.ts'
import { type RetryDeps, retryReplacement, whyNotRetried } from './retry.ts'

type ReplacementsDeps = ConfirmDeps & RetryDeps & ProgressDeps

export function createReplacements(deps: ReplacementsDeps): Replacements {
  const { database } = deps
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
    async progress({ id }) {
      const found = await readProgress(deps, id)
      if (!found) throw replacementErrors.replacement_not_found()
      return found
    },
    canRetry: async ({ id }) => {
      const row = await findReplacement(database.read, id)
      return row !== undefined && (await whyNotRetried(deps, database.read, row)) === undefined
    },
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

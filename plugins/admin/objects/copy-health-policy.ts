/** Health of copies by the service's own records: a committed copy was confirmed on chain. */
import type { CopyRecord, Placement } from '#plugins/replication'
import type { Copy, ObjectProvenance } from './object-api.ts'

type CopyHealth = Copy['health']

export function judgeCopy({ status, lastError }: Pick<CopyRecord, 'status' | 'lastError'>): CopyHealth {
  const [health, ...reasons] = verdicts[status]
  const judged = { status: health, reason_codes: reasons, stale: false }
  return lastError === null || status === 'committed' ? judged : { ...judged, last_error: lastError }
}

const verdicts = {
  committed: ['available'],
  committing: ['degraded', 'copy_committing'],
  piece_ready: ['degraded', 'copy_pending'],
  pending: ['degraded', 'copy_pending'],
  failed: ['unavailable', 'copy_failed'],
} as const satisfies Record<CopyRecord['status'], readonly [CopyHealth['status'], ...string[]]>

/** Health of the whole version. Without a readable copy it is degraded while copies are in progress or the bytes are cached. */
export function judgeCopies({ copies, requestedCopies, isCached }: Pick<Placement, 'copies' | 'requestedCopies' | 'isCached'>) {
  const count = (...statuses: readonly CopyRecord['status'][]) => copies.filter(({ status }) => statuses.includes(status)).length
  const readable = count('committed')
  const pending = count('pending', 'piece_ready', 'committing')
  const isEnough = readable >= requestedCopies
  const isUnreadable = readable === 0 && pending === 0 && !isCached
  const missing = isEnough ? [] : ['copy_under_replicated', ...copies.flatMap((copy) => judgeCopy(copy).reason_codes)]
  return {
    status: isEnough ? 'available' : isUnreadable ? 'unavailable' : 'degraded',
    reason_codes: [...new Set(missing)],
    stale: false,
    total_objects: 1,
    unhealthy_objects: isEnough ? 0 : 1,
    requested_copies: requestedCopies,
    readable_copies: readable,
    pending_copies: pending,
    failed_copies: count('failed'),
    unknown_copies: 0,
  } satisfies ObjectProvenance['copy_health']
}

import type { Reader } from '#kernel'
import type { ReplacementStatus } from '../states/replacement-transitions-policy.ts'
import { statement } from '../tables.ts'

const countAll = statement((db) =>
  db
    .selectFrom('replacements')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status'),
)

const countWaiting = statement((db) =>
  db
    .selectFrom('replacements')
    .select(({ fn }) => ['wait_reason as reason', fn.countAll<number>().as('count')])
    .where('status', '=', 'waiting')
    .groupBy('wait_reason'),
)

/** A status without replacements is missing. */
export const countReplacements = async (read: Reader): Promise<ReadonlyMap<ReplacementStatus, number>> =>
  new Map((await read.all(countAll)).map(({ status, count }) => [status, count]))

/** A reason for which none waits is missing. */
export const countWaitingReplacements = async (read: Reader): Promise<ReadonlyMap<string | null, number>> =>
  new Map((await read.all(countWaiting)).map(({ reason, count }) => [reason, count]))

import type { Reader } from '#kernel'
import type { ReplacementStatus } from '../states/replacement-transitions-policy.ts'
import { statement } from '../tables.ts'

const countAll = statement((db) =>
  db
    .selectFrom('replacements')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status'),
)

/** A status without replacements is missing. */
export const countReplacements = async (read: Reader): Promise<ReadonlyMap<ReplacementStatus, number>> =>
  new Map((await read.all(countAll)).map(({ status, count }) => [status, count]))

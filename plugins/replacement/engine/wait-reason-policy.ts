import type { SlotWork } from '#plugins/replication'
import type { WaitReason } from '../contract/records.ts'

/** Waits of a data set's task that are the normal course of a transaction. */
const normal: ReadonlySet<string> = new Set(['confirmation', 'finality', 'removal', 'wallet', 'retry', 'data_set', 'batching'])

const creation: Readonly<Record<string, WaitReason>> = {
  funding: 'funding',
  spend_limit: 'spend_limit',
  provider: 'target',
  provider_busy: 'target',
}

/** Why the creation of the target waits. */
export const reasonOfCreation = ({ reason }: SlotWork): WaitReason => creation[reason ?? ''] ?? 'target_creating'

const copying: Readonly<Record<string, WaitReason>> = { funding: 'funding', spend_limit: 'spend_limit', provider: 'target' }

/** Why no copy can be made on the target now; undefined: nothing that holds all of them. */
export const reasonOfCopying = ({ kind, reason }: SlotWork): WaitReason | undefined =>
  kind === 'waiting' ? copying[reason ?? ''] : undefined

/** debt: an operator must settle it. Undefined: the end takes its normal course. */
export function reasonOfEnd({ kind, reason }: SlotWork): WaitReason | 'debt' | undefined {
  if (kind !== 'waiting' || reason === null || normal.has(reason)) return undefined
  if (reason === 'payment_debt') return 'debt'
  return reason === 'funding' || reason === 'fee' ? 'funding' : 'retirement'
}

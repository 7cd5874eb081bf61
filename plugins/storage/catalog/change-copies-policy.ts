/** How the number of copies of a bucket may change. The target is only ever raised: nothing would retire the copies above a lower one. */
import { copiesMax, copiesMin, isCount } from './bucket-copies-policy.ts'

export interface BucketCopies {
  readonly defaultCopies: number
  readonly minimumDurableCopies: number
}

/** Absent: as it is. Null: the target becomes the configured one, the minimum as many as the resulting target. */
export interface CopiesChange {
  readonly defaultCopies?: number | null
  readonly minimumDurableCopies?: number | null
}

export type CopiesChangeVerdict =
  | { readonly isAllowed: true; readonly copies: BucketCopies }
  | {
      readonly isAllowed: false
      readonly code: 'copy_policy_empty' | 'copy_policy_invalid' | 'copy_policy_lowering_unsupported' | 'copy_policy_minimum_exceeds_target'
      readonly message: string
    }

type Refusal = Extract<CopiesChangeVerdict, { readonly isAllowed: false }>

export function changeCopies(change: CopiesChange, current: BucketCopies, configuredCopies: number): CopiesChangeVerdict {
  const problem = findUnfit(change)
  if (problem) return problem
  const target = resolve(change.defaultCopies, { absent: current.defaultCopies, reset: configuredCopies })
  if (target < current.defaultCopies) return lowered(change, { from: current.defaultCopies, to: target })
  const minimum = resolve(change.minimumDurableCopies, { absent: current.minimumDurableCopies, reset: target })
  if (minimum > target) {
    return refuse(
      'copy_policy_minimum_exceeds_target',
      `minimum_durable_copies (${minimum}) must not be above default_copies (${target}); raise default_copies in the same request`,
    )
  }
  return { isAllowed: true, copies: { defaultCopies: target, minimumDurableCopies: minimum } }
}

function findUnfit({ defaultCopies, minimumDurableCopies }: CopiesChange): Refusal | undefined {
  if (defaultCopies === undefined && minimumDurableCopies === undefined) {
    return refuse('copy_policy_empty', 'the request names neither default_copies nor minimum_durable_copies')
  }
  const members = { default_copies: defaultCopies, minimum_durable_copies: minimumDurableCopies }
  const unfit = Object.entries(members).find(([, value]) => value !== undefined && value !== null && !isCount(value))
  return unfit && refuse('copy_policy_invalid', `${unfit[0]} must be a whole number from ${copiesMin} to ${copiesMax}, or null`)
}

const resolve = (value: number | null | undefined, { absent, reset }: { readonly absent: number; readonly reset: number }): number =>
  value === undefined ? absent : (value ?? reset)

function lowered({ defaultCopies }: CopiesChange, { from, to }: { readonly from: number; readonly to: number }): Refusal {
  const what = defaultCopies === null ? `the configured number of copies (${to}) is` : `default_copies (${to}) is`
  return refuse('copy_policy_lowering_unsupported', `${what} below the bucket's target of ${from}, which can only be raised`)
}

const refuse = (code: Refusal['code'], message: string): Refusal => ({ isAllowed: false, code, message })

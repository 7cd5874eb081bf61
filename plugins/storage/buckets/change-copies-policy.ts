/** Rules for changing the copies of a bucket. The target can only be raised, because removing surplus copies is not supported. */
import { copiesMax, copiesMin, isCount } from '../catalog/buckets/bucket-copies-policy.ts'

interface BucketCopies {
  readonly defaultCopies: number
  readonly minimumDurableCopies: number
}

/** Absent: unchanged. Null resets: the target to the configured one, the minimum to the resulting target. */
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
  const problem = findInvalid(change)
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

function findInvalid({ defaultCopies, minimumDurableCopies }: CopiesChange): Refusal | undefined {
  if (defaultCopies === undefined && minimumDurableCopies === undefined) {
    return refuse('copy_policy_empty', 'the request is empty: set default_copies, minimum_durable_copies or both')
  }
  const members = { default_copies: defaultCopies, minimum_durable_copies: minimumDurableCopies }
  const invalid = Object.entries(members).find(([, value]) => value !== undefined && value !== null && !isCount(value))
  return invalid && refuse('copy_policy_invalid', `${invalid[0]} must be a whole number from ${copiesMin} to ${copiesMax}, or null`)
}

const resolve = (value: number | null | undefined, { absent, reset }: { readonly absent: number; readonly reset: number }): number =>
  value === undefined ? absent : (value ?? reset)

function lowered({ defaultCopies }: CopiesChange, { from, to }: { readonly from: number; readonly to: number }): Refusal {
  const what = defaultCopies === null ? `the configured number of copies (${to})` : `default_copies (${to})`
  return refuse('copy_policy_lowering_unsupported', `${what} is below the bucket's target of ${from}, which can only be raised`)
}

const refuse = (code: Refusal['code'], message: string): Refusal => ({ isAllowed: false, code, message })

/** Number of copies of a new bucket. The result is stored in the bucket's row; later configuration changes do not affect it (I-12). */

export const copiesMin = 1
export const copiesMax = 8

export interface CopiesDefaults {
  readonly defaultCopies: number
  /** Absent or 0: equal to the bucket's target. */
  readonly minimumDurableCopies?: number | undefined
}

interface CopiesRequest {
  readonly defaultCopies?: number | undefined
  readonly minimumDurableCopies?: number | undefined
}

type CopiesVerdict =
  | { readonly isValid: true; readonly defaultCopies: number; readonly minimumDurableCopies: number }
  | { readonly isValid: false; readonly code: 'copy_policy_invalid' | 'copy_policy_minimum_exceeds_target'; readonly message: string }

export function resolveCopies(request: CopiesRequest, defaults: CopiesDefaults): CopiesVerdict {
  const target = request.defaultCopies ?? defaults.defaultCopies
  if (!isCount(target)) return invalid(`default_copies must be a whole number from ${copiesMin} to ${copiesMax}`)
  // A configured minimum above the requested target is not the client's error: use the target.
  const minimum = request.minimumDurableCopies ?? Math.min(defaults.minimumDurableCopies || target, target)
  if (!isCount(minimum)) return invalid(`minimum_durable_copies must be a whole number from ${copiesMin} to ${copiesMax}`)
  if (minimum > target) {
    const message = `minimum_durable_copies (${minimum}) must not be above default_copies (${target})`
    return { isValid: false, code: 'copy_policy_minimum_exceeds_target', message }
  }
  return { isValid: true, defaultCopies: target, minimumDurableCopies: minimum }
}

export const isCount = (value: number): boolean => Number.isInteger(value) && value >= copiesMin && value <= copiesMax
const invalid = (message: string): CopiesVerdict => ({ isValid: false, code: 'copy_policy_invalid', message })

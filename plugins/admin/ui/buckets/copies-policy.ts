/** The two numbers of a copy policy: copies of each version, and how many of them must exist before cached bytes may be removed. */
export interface Copies {
  readonly target: number
  readonly minimum: number
}

export const copiesMin = 1
export const copiesMax = 8

/** Why the service would refuse the numbers. `current`: those of an existing bucket. */
export function findCopiesProblem({ target, minimum }: Copies, current?: Copies): string | undefined {
  if (current && target < current.target) {
    return `Copies can only be added: this bucket keeps ${current.target}. Removing surplus copies is not supported.`
  }
  if (minimum > target) return `The minimum (${minimum}) must not be above the number of copies (${target}).`
  return undefined
}

/** What a change does, in sentences. Empty: nothing changes. */
export function describeEffects(next: Copies, current: Copies): readonly string[] {
  const added = next.target - current.target
  return [
    ...(added > 0
      ? [
          `New uploads get ${next.target} copies, each a paid service: ${added} more than now. Versions that exist keep the number they were uploaded with.`,
        ]
      : []),
    ...(next.minimum > current.minimum
      ? [
          `Cached bytes stay until the version has ${countCopies(next.minimum)}, so the cache may fill up sooner. Uploads in the cache are judged again.`,
        ]
      : []),
    ...(next.minimum < current.minimum
      ? [`Cached bytes may be removed once the version has ${countCopies(next.minimum)}. Uploads in the cache are judged again.`]
      : []),
  ]
}

/** Members of the request: changed ones only. */
export const copiesChange = (next: Copies, current: Copies) => ({
  ...(next.target === current.target ? {} : { default_copies: next.target }),
  ...(next.minimum === current.minimum ? {} : { minimum_durable_copies: next.minimum }),
})

interface NewBucketCopies extends Copies {
  /** Whether the fields show the service's own numbers. */
  readonly isKnown: boolean
  readonly isTouched: boolean
}

/** Members of the request for a new bucket. Empty until the form has shown or changed the numbers: the service then uses its defaults. */
export const copiesOfNewBucket = ({ target, minimum, isKnown, isTouched }: NewBucketCopies) =>
  isKnown || isTouched ? { default_copies: target, minimum_durable_copies: minimum } : {}

/** For the estimate of a new bucket: as in the request. */
export const pricedCopies = ({ target, isKnown, isTouched }: Omit<NewBucketCopies, 'minimum'>) =>
  isKnown || isTouched ? { copies: target } : {}

/** The numbers of a bucket that names none: those in the settings; a minimum of 0 there follows the target. */
export function readDefaultCopies(runtimeCopies: number | undefined, config: Readonly<Record<string, unknown>>): Copies {
  const chain = (config.chain ?? {}) as { readonly default_minimum_durable_copies?: unknown; readonly default_copies?: unknown }
  const target = runtimeCopies ?? (typeof chain.default_copies === 'number' ? chain.default_copies : copiesMin)
  const minimum = typeof chain.default_minimum_durable_copies === 'number' ? chain.default_minimum_durable_copies : 0
  return { target, minimum: minimum === 0 ? target : Math.min(minimum, target) }
}

const countCopies = (copies: number): string => (copies === 1 ? '1 copy' : `${copies} copies`)

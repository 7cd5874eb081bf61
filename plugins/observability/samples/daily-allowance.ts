/** Samples of a day, of which the table keeps all: a day with more would forget bytes. */
export const samplesDailyMax = 20_000
/** Checks of copies in doubt leave a part of them to random ones, and one provider leaves a part to the others. */
const doubtsDailyMax = 15_000
const doubtsOfProviderMax = 5000

/** Checks of copies of one provider, in doubt or random, and the bytes that it sent. */
export interface SampleUse {
  readonly providerId: string
  readonly isDoubt: boolean
  readonly copies: number
  readonly bytes: number
}

interface DailyAllowance {
  /** Whether a copy in doubt at this provider may be checked. One that sends wrong bytes gets half of the bytes at most. */
  allowsDoubt(providerId: string): boolean
  /** Whether a random copy of this length may be read. */
  allowsRandom(length: number): boolean
  add(check: Pick<SampleUse, 'providerId' | 'isDoubt' | 'bytes'>): void
}

interface Use {
  copies: number
  bytes: number
}

/**
 * What may still be read, after the checks of the last day. Random copies have `bytesDaily`, and copies in doubt have as much for
 * themselves, because they decide whether cached bytes may go: their last check may exceed it.
 */
export function createDailyAllowance(used: readonly SampleUse[], bytesDaily: number): DailyAllowance {
  const random: Use = { copies: 0, bytes: 0 }
  const doubts: Use = { copies: 0, bytes: 0 }
  const doubtsOf = new Map<string, Use>()
  const of = (providerId: string) => doubtsOf.get(providerId) ?? { copies: 0, bytes: 0 }
  const add = ({ providerId, isDoubt, bytes, copies }: SampleUse) => {
    const own = of(providerId)
    for (const use of isDoubt ? [doubts, own] : [random]) {
      use.copies += copies
      use.bytes += bytes
    }
    if (isDoubt) doubtsOf.set(providerId, own)
  }
  for (const use of used) add(use)
  return {
    allowsDoubt(providerId) {
      const own = of(providerId)
      const mayRead = doubts.bytes < bytesDaily && own.bytes < bytesDaily / 2
      return mayRead && doubts.copies < doubtsDailyMax && own.copies < doubtsOfProviderMax
    },
    allowsRandom: (length) => random.bytes + length <= bytesDaily && random.copies + doubts.copies < samplesDailyMax,
    add: (check) => add({ ...check, copies: 1 }),
  }
}

/** What would be at risk without a provider, in words. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'

export type WhatIf = Answer<'GET /storage-replacements/what-if'>

export interface Risk {
  readonly id: string
  readonly label: string
  readonly help: string
  readonly count: WhatIf['stored']
  readonly tone: Tone
}

/** The figures of a provider, from all of its contents to those that would be lost. */
export const risksOf = ({ stored, below_target, below_minimum, no_other_copy, lost }: WhatIf): readonly Risk[] =>
  (
    [
      ['stored', 'Stored there', 'Contents with a copy at the provider.', stored, 'neutral'],
      ['target', 'Below the target', 'They would have fewer copies than their bucket wants.', below_target, 'warning'],
      ['minimum', 'Below the minimum', 'They would have too few copies to leave the cache.', below_minimum, 'warning'],
      ['only', 'Without another copy', 'No other provider has the bytes.', no_other_copy, 'danger'],
      ['lost', 'Lost', 'Neither another provider nor the cache has the bytes.', lost, 'danger'],
    ] as const
  ).map(([id, label, help, count, tone]) => ({ id, label, help, count, tone: count.contents === 0 ? 'neutral' : tone }))

/** Why the time to heal is not a figure; undefined when it is one. */
export function unknownTime({ heal }: Pick<WhatIf, 'heal'>): string | undefined {
  return heal.seconds === null ? 'Not known: no other provider was measured yet' : undefined
}

const idDigits = /^\d{1,78}$/

/** Returns undefined for text that is no id of a provider. */
export const readProviderId = (text: string): string | undefined => (idDigits.test(text) ? text : undefined)

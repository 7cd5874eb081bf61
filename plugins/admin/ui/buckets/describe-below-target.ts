/** Objects below their target in words. Pure. */
import { type Answer, formatCount, type Tone } from '@svc/ui-kit'

type Counts = NonNullable<Answer<'GET /buckets'>[number]['below_target']>

/** `3 stuck, 2 waiting`, in the tone of the worst. */
export function describeBelowTarget({ stuck, waiting, working }: Counts): { readonly tone: Tone; readonly text: string } {
  const parts = [
    ...(stuck > 0 ? [`${formatCount(stuck)} stuck`] : []),
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting`] : []),
    ...(working > 0 ? [`${formatCount(working)} worked on`] : []),
  ]
  const tone = stuck > 0 ? 'danger' : waiting > 0 ? 'warning' : working > 0 ? 'info' : 'success'
  return { tone, text: parts.length === 0 ? 'None' : parts.join(', ') }
}

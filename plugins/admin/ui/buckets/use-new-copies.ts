import { useSignal, useTask$ } from '@builder.io/qwik'
import { useQuery } from '@svc/ui-kit'
import { type Copies, copiesMin, readDefaultCopies } from './copies-policy.ts'

/** The two numbers of a new bucket. They become the service's own when the settings arrive, unless somebody chose others before. */
export function useNewCopies() {
  const settings = useQuery('GET /settings')
  const target = useSignal(copiesMin)
  const minimum = useSignal(copiesMin)
  const start = useSignal<Copies>({ target: copiesMin, minimum: copiesMin })
  const isKnown = useSignal(false)
  const isTouched = useSignal(false)
  useTask$(({ track }) => {
    const shown = track(() => ({ target: target.value, minimum: minimum.value }))
    if (shown.target !== start.value.target || shown.minimum !== start.value.minimum) isTouched.value = true
  })
  // A minimum above the copies is refused, so it follows when the copies fall.
  useTask$(({ track }) => {
    const copies = track(() => target.value)
    if (minimum.value > copies) minimum.value = copies
  })
  useTask$(({ track }) => {
    const known = track(() => settings.data)
    if (!known || isKnown.value || isTouched.value) return
    start.value = readDefaultCopies(known.runtime_chain_default_copies, known.config)
    target.value = start.value.target
    minimum.value = start.value.minimum
    isKnown.value = true
  })
  return { settings, target, minimum, isKnown, isTouched }
}

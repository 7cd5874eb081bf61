import { component$, Slot, useErrorBoundary } from '@builder.io/qwik'
import { Alert } from '../kit/alert.tsx'

/** Around every page, card and tab: an error in one leaves the others and the menu working. */
export const Boundary = component$<{ what: string }>(({ what }) => {
  const boundary = useErrorBoundary()
  if (!boundary.error) return <Slot />
  return (
    <Alert tone="danger" title={`This ${what} stopped working`} live>
      {String((boundary.error as Partial<Error>).message ?? boundary.error)} Reload the page to try again.
    </Alert>
  )
})

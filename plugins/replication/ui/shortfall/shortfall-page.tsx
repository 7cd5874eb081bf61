import { component$ } from '@builder.io/qwik'
import { Card, ErrorAlert, PageHeader, useQuery } from '@svc/ui-kit'
import { CauseList } from './cause-list.tsx'
import { ShortfallList } from './shortfall-list.tsx'

/** Causes first, then the objects. */
export const ShortfallPage = component$(() => {
  const found = useQuery('GET /below-target/causes')
  const causes = found.data?.causes ?? []
  return (
    <>
      <PageHeader
        title="Below target"
        description="Objects with fewer copies than their target: what works on them, what they wait for, and which nothing works on."
      />
      <ErrorAlert error={found.error} onRetry$={found.refresh} class="mb-4" />
      {causes.length > 0 && (
        <Card title="Causes" flush class="mb-4">
          <CauseList causes={causes} />
        </Card>
      )}
      <ShortfallList />
    </>
  )
})

import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, Card, formatPlural, PageHeader, setSearch, useQuery, useSearchParam } from '@svc/ui-kit'
import { ConfirmationTable } from './confirmation-table.tsx'
import { ReleaseDialog } from './release-dialog.tsx'

const pageSize = 1000

/** Copies whose paid submission has no known outcome. */
export const ConfirmationsPage = component$(() => {
  const entries = useQuery('GET /storage-confirmations', () => ({ query: { limit: String(pageSize) } }))
  const asked = useSearchParam('release')
  const open = useSignal(false)
  useTask$(({ track }) => {
    open.value = track(() => asked.value) !== ''
  })
  const rows = entries.data
  return (
    <>
      <PageHeader
        title="Storage confirmations"
        description="Copies whose paid submission has no known outcome. The service keeps looking them up: entries leave by themselves once the chain shows the outcome."
      />
      {rows && rows.length > 0 && (
        <div class="mb-4">
          <Alert tone="warning" title={`${formatPlural(rows.length, 'copy waits', 'copies wait')} for an outcome`}>
            Waiting costs nothing. Release a copy only when its attempt will never reach the chain.
          </Alert>
        </div>
      )}
      <Card flush>
        <ConfirmationTable query={entries} />
        {rows?.length === pageSize && <p class="px-4 py-2.5 text-xs text-muted">The oldest {pageSize} entries are shown.</p>}
      </Card>
      <ReleaseDialog
        open={open}
        attemptId={asked.value}
        entries={rows}
        onClose$={() => setSearch({ release: null }, { replace: true })}
        onReload$={entries.refresh}
      />
    </>
  )
})

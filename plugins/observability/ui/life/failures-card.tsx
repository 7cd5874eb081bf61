import { $, component$, useSignal } from '@builder.io/qwik'
import { Button, Card, type Column, CopyButton, copyLooks, Dialog, KeyText, Table } from '@svc/ui-kit'
import { type Copy, failuresOf } from './describe-life.ts'

/** Copies with an error of their latest attempt; nothing while there is none. */
export const FailuresCard = component$<{ copies: readonly Copy[] }>(({ copies }) => {
  const open = useSignal(false)
  const chosen = useSignal<Copy>()
  const failures = failuresOf(copies)
  const show = $((_action: string, key: string) => {
    chosen.value = copies.find(({ copy_index }) => String(copy_index) === key)
    open.value = chosen.value !== undefined
  })
  if (failures.length === 0 && !open.value) return null
  const shown = chosen.value
  const error = shown?.health.last_error ?? ''
  return (
    <Card title="Failed attempts" note="The latest error of each copy" flush>
      <Table
        label="Failed attempts"
        columns={columns}
        rows={failures}
        rowKey={({ copy_index }: Copy) => String(copy_index)}
        rowName={({ copy_index }: Copy) => `replica ${copy_index + 1}`}
        menu={() => [{ id: 'show', label: 'Show the full error', icon: 'eye' }]}
        onMenu$={show}
      />
      <Dialog open={open} title={shown ? `Error of replica ${shown.copy_index + 1}` : 'Error'} size="lg">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          tabIndex={0}
          class="max-h-[60dvh] overflow-auto rounded-md border bg-sunken p-3 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {error}
        </pre>
        <span q:slot="footer" class="me-auto inline-flex items-center gap-1 text-xs text-muted">
          Copy the error <CopyButton text={error} label="error" />
        </span>
        <Button
          q:slot="footer"
          data-autofocus=""
          onClick$={() => {
            open.value = false
          }}
        >
          Close
        </Button>
      </Dialog>
    </Card>
  )
})

const columns: readonly Column<Copy>[] = [
  { id: 'replica', label: 'Replica', title: true, cell: ({ copy_index }) => `Replica ${copy_index + 1}` },
  { id: 'status', label: 'Status', cell: ({ status }) => copyLooks[status].word },
  { id: 'provider', label: 'Provider', cell: ({ provider_id }) => (provider_id === undefined ? '—' : `#${provider_id}`) },
  { id: 'error', label: 'Error', grow: true, cell: ({ health }) => <KeyText text={health.last_error ?? ''} /> },
]

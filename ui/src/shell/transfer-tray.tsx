import { component$, useSignal } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { Badge } from '../kit/badge.tsx'
import { IconButton } from '../kit/button.tsx'
import { KeyText } from '../kit/copyable.tsx'
import { formatBytes } from '../kit/format/bytes.ts'
import { showHidden } from '../kit/format/ids.ts'
import { Icon } from '../kit/icon.tsx'
import { Progress } from '../kit/progress.tsx'
import type { Tone } from '../kit/tone.ts'
import { cancelTransfer, clearEndedTransfers, isEnded, pickRows, retryTransfer, type Transfer, transfers } from './transfers.ts'

const rowsMax = 100

/** The queue of transfers, above every page. */
export const TransferTray = component$(() => {
  const all = useObservable(transfers)
  const isFolded = useSignal(false)
  if (all.value.length === 0) return null
  const open = all.value.filter((transfer) => !isEnded(transfer)).length
  const failed = all.value.filter(({ state }) => state === 'failed').length
  const title = open > 0 ? `${open} of ${all.value.length} transfers left` : 'Transfers ended'
  return (
    <section
      aria-label="Transfers"
      class="fixed inset-x-3 bottom-3 z-30 overflow-hidden rounded-lg border border-edge bg-panel shadow-lg sm:left-auto sm:w-100"
    >
      <header class="flex items-center gap-2 border-b bg-bg py-2 pr-2 pl-4">
        <Icon name="upload" class="text-muted" />
        <h2 class="min-w-0 flex-1 truncate text-sm font-semibold">{title}</h2>
        {failed > 0 && <Badge tone="danger">{`${failed} failed`}</Badge>}
        <IconButton
          icon={isFolded.value ? 'chevron-up' : 'chevron-down'}
          label={isFolded.value ? 'Show the transfers' : 'Fold the transfers'}
          size="sm"
          aria-expanded={isFolded.value ? 'false' : 'true'}
          onClick$={() => {
            isFolded.value = !isFolded.value
          }}
        />
        <IconButton
          icon="x"
          label="Remove ended transfers"
          size="sm"
          disabled={open === all.value.length}
          onClick$={() => clearEndedTransfers()}
        />
      </header>
      {!isFolded.value && (
        <ul class="max-h-72 divide-y overflow-y-auto">
          {pickRows(all.value, rowsMax).map((item) => (
            <TransferRow key={item.id} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
})

const words: Readonly<Record<Transfer['state'], readonly [Tone, string]>> = {
  queued: ['neutral', 'Waiting'],
  running: ['info', 'Sending'],
  done: ['success', 'Sent'],
  failed: ['danger', 'Failed'],
  cancelled: ['neutral', 'Cancelled'],
}

const TransferRow = component$<{ item: Transfer }>(({ item }) => {
  const [tone, word] = words[item.state]
  const name = showHidden(item.label)
  return (
    <li class="flex items-center gap-3 px-4 py-2.5">
      <div class="min-w-0 flex-1">
        <p class="truncate text-sm font-medium">
          <KeyText text={item.label} />
        </p>
        <p class="truncate text-xs text-muted">
          {item.place} · {formatBytes(item.bytes)}
        </p>
        {item.state === 'running' && <Progress label={`Sending ${name}`} value={item.sentBytes} max={item.bytes} />}
        {item.state === 'failed' && <p class="text-xs text-danger [overflow-wrap:anywhere]">{item.problem}</p>}
      </div>
      {item.state !== 'running' && <Badge tone={tone}>{word}</Badge>}
      {isEnded(item) ? (
        item.state !== 'done' && (
          <IconButton icon="rotate-ccw" label={`Send ${name} again`} size="sm" onClick$={() => retryTransfer(item.id)} />
        )
      ) : (
        <IconButton icon="x" label={`Cancel ${name}`} size="sm" onClick$={() => cancelTransfer(item.id)} />
      )}
    </li>
  )
})

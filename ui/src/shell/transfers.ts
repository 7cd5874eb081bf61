/** Files that are being sent. The queue belongs to the tab: it continues while other pages are shown. */
import { ApiError } from '../data/api-error.ts'
import { Observable } from '../data/observable.ts'
import { onSignOut } from '../data/session.ts'

interface TransferControls {
  readonly signal: AbortSignal
  readonly report: (sentBytes: number) => void
}

interface TransferOrder {
  /** Text such as the key of the object. */
  readonly label: string
  /** Text such as the bucket. */
  readonly place: string
  readonly bytes: number
  /** Page that shows the result. */
  readonly to?: string
  readonly start: (controls: TransferControls) => Promise<unknown>
}

export interface Transfer extends TransferOrder {
  readonly id: number
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly sentBytes: number
  readonly problem?: string
}

const runningMax = 3
const listedMax = 500

export const transfers = new Observable<readonly Transfer[]>([])
const aborts = new Map<number, AbortController>()
let lastId = 0

/** Adds a transfer to the queue; three run at a time. */
export function addTransfer(order: TransferOrder): number {
  lastId += 1
  const added: Transfer = { ...order, id: lastId, state: 'queued', sentBytes: 0 }
  const ended = transfers.value.filter(isEnded)
  const surplus = new Set(ended.slice(0, Math.max(0, transfers.value.length + 1 - listedMax)))
  transfers.value = [...transfers.value.filter((transfer) => !surplus.has(transfer)), added]
  next()
  return added.id
}

/** Only while it waits or runs: what was sent stays sent. */
export function cancelTransfer(id: number): void {
  const abort = aborts.get(id)
  if (abort) abort.abort()
  else if (stateOf(id) === 'queued') change(id, { state: 'cancelled' })
}

/** Starts a failed or cancelled transfer again. */
export function retryTransfer(id: number): void {
  const state = stateOf(id)
  // A second click must not send it twice.
  if (state !== 'failed' && state !== 'cancelled') return
  change(id, { state: 'queued', sentBytes: 0, problem: '' })
  next()
}

export function clearEndedTransfers(): void {
  transfers.value = transfers.value.filter((transfer) => !isEnded(transfer))
}

export const isEnded = ({ state }: Transfer): boolean => state !== 'queued' && state !== 'running'

/** Asks before the tab is closed while something is sent. */
export function guardTransfers(): void {
  addEventListener('beforeunload', (event) => {
    if (transfers.value.some((transfer) => !isEnded(transfer))) event.preventDefault()
  })
}

/** The next operator must not see the names of these files, and their requests would be refused. */
onSignOut(() => {
  const running = [...aborts.values()]
  transfers.value = []
  for (const abort of running) abort.abort()
})

const stateOf = (id: number) => transfers.value.find((transfer) => transfer.id === id)?.state

/** Rows of the tray: all that run or failed, then as many others as fit, the newest first to stay. In the order of the queue. */
export function pickRows(all: readonly Transfer[], rowsMax: number): readonly Transfer[] {
  const matters = ({ state }: Transfer) => state === 'running' || state === 'failed'
  const room = Math.max(0, rowsMax - all.filter(matters).length)
  const others = all.filter((transfer) => !matters(transfer))
  const shown = new Set(others.slice(others.length - Math.min(room, others.length)))
  return all.filter((transfer) => matters(transfer) || shown.has(transfer))
}

function next(): void {
  const waiting = transfers.value.filter(({ state }) => state === 'queued')
  for (const transfer of waiting.slice(0, runningMax - aborts.size)) void run(transfer)
}

async function run({ id, start, bytes }: Transfer): Promise<void> {
  const abort = new AbortController()
  aborts.set(id, abort)
  change(id, { state: 'running' })
  try {
    await start({ signal: abort.signal, report: (sentBytes) => change(id, { sentBytes: Math.min(bytes, sentBytes) }) })
    change(id, { state: 'done', sentBytes: bytes })
  } catch (error) {
    if (abort.signal.aborted) change(id, { state: 'cancelled' })
    else change(id, { state: 'failed', problem: error instanceof ApiError ? error.message : String(error) })
  } finally {
    aborts.delete(id)
    next()
  }
}

function change(id: number, changes: Partial<Transfer>): void {
  transfers.value = transfers.value.map((transfer) => (transfer.id === id ? { ...transfer, ...changes } : transfer))
}

// Background work of a provider: relaying terminations, deleting unclaimed pieces and stale uploads, proving.
import { startLoop } from '../chain/loop.ts'
import type { ProviderContext } from './context.ts'
import { pieceCidsInFlight } from './ledger.ts'
import { createProver } from './proving.ts'
import { relayTerminations } from './terminations.ts'

/** Pause while a termination is open, and otherwise. */
const CHORES_MS = 100
const IDLE_CHORES_MS = 500
const PROVING_MS = 1000

export function runChores(context: ProviderContext): AsyncDisposable {
  const { terminations } = context.ledger.state
  const isTerminating = () => Object.values(terminations).some(({ endEpoch }) => endEpoch === undefined)
  return startLoop(
    async () => {
      collectUnclaimed(context)
      dropStaleUploads(context)
      await relayTerminations(context)
    },
    {
      pauseMs: () => (isTerminating() ? CHORES_MS : IDLE_CHORES_MS),
      onError: (error) => context.log(`chores: ${firstLine(error)}`),
    },
  )
}

export function runProving(context: ProviderContext): AsyncDisposable {
  const { chain, faults, transactions, log } = context
  const prover = createProver(context)
  const loop = startLoop(() => prover.advance(chain.head.epoch), {
    pauseMs: PROVING_MS,
    // A transaction may come one epoch late; the next head causes another try.
    onError: (error) => log(`proving: ${firstLine(error)}`),
  })

  function recheck(): void {
    prover.recheck()
    loop.wake()
  }

  const unsubscribe = [
    chain.head.subscribe(({ isReorg }) => (isReorg ? recheck() : loop.wake())),
    faults.subscribe(recheck),
    transactions.subscribe(recheck),
  ]
  return {
    async [Symbol.asyncDispose]() {
      for (const end of unsubscribe) end()
      await loop[Symbol.asyncDispose]()
    },
  }
}

const firstLine = (error: unknown) => String(error).split('\n', 1)[0]

function collectUnclaimed({ pieces, ledger, settings }: ProviderContext): void {
  const old = pieces.listUnclaimed(settings.unclaimedKeepMs)
  if (old.length === 0) return
  const wanted = pieceCidsInFlight(ledger.state)
  for (const pieceCid of old) if (!wanted.has(pieceCid)) pieces.remove(pieceCid)
}

function dropStaleUploads({ pieces, ledger, settings }: ProviderContext): void {
  for (const [uuid, upload] of Object.entries(ledger.state.uploads)) {
    if (Date.now() - upload.touchedAtMs < settings.uploadKeepMs) continue
    delete ledger.state.uploads[uuid]
    pieces.discardArrival(uuid)
    ledger.changed()
  }
}

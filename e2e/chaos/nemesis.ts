/** Random provider faults during a run. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, RouteName } from '../../devnet/faults.ts'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import type { Random } from './random.ts'

const paidRoutes: readonly RouteName[] = ['data_set_create', 'pieces_add', 'pieces_delete']
const uploadRoutes: readonly RouteName[] = ['piece_post', 'piece_put', 'upload_create', 'upload_put', 'upload_finalize', 'piece_find']

/** Each ends after its count, or when the nemesis clears it. */
const faults: readonly Fault[] = [
  { kind: 'drop_answer', routes: paidRoutes, count: 1 },
  { kind: 'fail_answer', routes: paidRoutes, count: 1 },
  { kind: 'fail_answer', routes: ['pull'], count: 1 },
  { kind: 'drop_answer', routes: uploadRoutes, count: 1 },
  { kind: 'drop_connection', count: 2 },
  { kind: 'answer', status: 500, count: 2 },
  { kind: 'answer', status: 429, retryAfterSeconds: 1, count: 1 },
  { kind: 'answer', status: 404, routes: ['piece_find', 'pieces_added', 'data_set_created'], count: 2 },
  { kind: 'delay', delayMs: 1500, count: 3 },
  { kind: 'revert', count: 1 },
  { kind: 'pull_failed', count: 1 },
  { kind: 'late_parking', delayMs: 1000, count: 2 },
  { kind: 'corrupt_bytes', routes: ['retrieve', 'piece_get'], count: 2 },
  { kind: 'cut_bytes', afterBytes: 50, routes: ['retrieve', 'piece_get'], count: 2 },
  { kind: 'unprocessed' },
  { kind: 'dark' },
]
const faultsAtOnceMax = 3
const pauseMs = { min: 200, max: 900 }

interface Nemesis extends AsyncDisposable {
  /** Kinds of all faults placed so far. */
  readonly placed: readonly string[]
}

/** Places and clears provider faults until it is disposed, which clears all of them. */
export function startNemesis(providers: readonly SimulatedProvider[], random: Random): Nemesis {
  const placed: string[] = []
  const ended = new AbortController()
  const clear = () => {
    for (const provider of providers) provider.faults.clear()
  }
  const run = async () => {
    while (!ended.signal.aborted) {
      const provider = random.pick(providers)
      if (random.chance(0.3) || provider.faults.list().length >= faultsAtOnceMax) provider.faults.clear()
      else {
        const fault = random.pick(faults)
        provider.faults.add(fault)
        placed.push(fault.kind)
      }
      await sleep(pauseMs.min + random.below(pauseMs.max - pauseMs.min), undefined, { signal: ended.signal }).catch(ignoreAbort)
    }
  }
  const running = run()
  return {
    placed,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await running
      clear()
    },
  }
}

function ignoreAbort(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error
}

import { providerModes } from './model-provider.ts'
import type { ModelRun } from './model-run.ts'

/** What can happen to the data set under test, its provider, its chain and its contents. A mode lasts until another one, or until calm. */
export const modelEvents = [
  ...providerModes,
  'refuses_then_discards',
  'refuses_then_ends',
  'refuses_then_deletes',
  'chain_stands_still',
  'lands',
  'discards',
  'reorganised',
  'reorganised_for_a_while',
  'reorganised_for_good',
  'terminated',
  'deleted_on_chain',
  'content_arrives',
  'contents_deleted',
  'uncached',
  'unfunded',
  'crash',
] as const

export interface ModelEvent {
  readonly kind: (typeof modelEvents)[number]
  /** Passes after it. */
  readonly forMs: number
}

/** Longer than it takes until an operator is called. */
const untilAttentionMs = 3_600_000

/** Longer than the pause before a refused batch is offered again. */
const nextOfferMs = 20 * 60_000

/** Longer than the first pause between two looks at what landed, shorter than the time until it is final. */
const untilNoticedMs = 8000

export async function applyEvent(run: ModelRun, { kind, forMs }: ModelEvent): Promise<void> {
  const refusedThen = async (then: ModelEvent['kind']) => {
    run.setMode('refuses')
    await run.run(untilAttentionMs)
    await applyEvent(run, { kind: then, forMs: nextOfferMs })
  }
  const effects: Partial<Record<ModelEvent['kind'], () => unknown>> = {
    refuses_then_discards: () => refusedThen('discards'),
    refuses_then_ends: () => refusedThen('deleted_on_chain'),
    refuses_then_deletes: () => refusedThen('contents_deleted'),
    chain_stands_still: () => {
      run.chain.isHeld = true
    },
    lands: () => run.land(),
    reorganised: () => run.reorganise(),
    reorganised_for_a_while: () => run.reorganise({ forMs: untilNoticedMs }),
    reorganised_for_good: () => run.reorganise({ isForgotten: true }),
    discards: () => run.providers[0]?.collectGarbage(),
    terminated: () => run.endOnChain('terminated'),
    deleted_on_chain: () => run.endOnChain('deleted'),
    content_arrives: () => run.addContent(),
    contents_deleted: () => run.deleteContents(),
    uncached: () => run.cached.clear(),
    unfunded: () => {
      run.doors.world.funding = { isCovered: false, because: 'deposit', message: 'deposit more' }
    },
    crash: () => {
      for (const provider of run.providers) provider.crashes = true
    },
  }
  const mode = providerModes.find((candidate) => candidate === kind)
  if (mode) run.setMode(mode)
  await effects[kind]?.()
  await run.run(forMs)
}

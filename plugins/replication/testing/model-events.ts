import { providerModes } from './model-provider.ts'
import type { ModelRun } from './model-run.ts'

/** Events for the data set under test, its provider, the chain and its contents. A provider mode lasts until the next mode or `endFaults`. */
export const modelEvents = [
  ...providerModes,
  'refuses_then_discards',
  'refuses_then_ends',
  'refuses_then_deletes',
  'chain_stalls',
  'lands',
  'discards',
  'reorganised',
  'reorganised_for_a_while',
  'reorganised_permanently',
  'terminated',
  'deleted_on_chain',
  'content_arrives',
  'contents_deleted',
  'uncached',
  'unfunded',
  'released',
  'crash',
] as const

export interface ModelEvent {
  readonly kind: (typeof modelEvents)[number]
  /** Time to run after the event. */
  readonly forMs: number
}

/** Longer than the time until attention is raised. */
const untilAttentionMs = 3_600_000

/** Longer than the pause before a refused batch is submitted again. */
const untilNextOfferMs = 20 * 60_000

/** Longer than the first poll interval of landed batches, shorter than the time until they are final. */
const untilNoticedMs = 8000

export async function applyEvent(run: ModelRun, { kind, forMs }: ModelEvent): Promise<void> {
  const refusedThen = async (then: ModelEvent['kind']) => {
    run.setMode('refuses')
    await run.run(untilAttentionMs)
    await applyEvent(run, { kind: then, forMs: untilNextOfferMs })
  }
  const effects: Partial<Record<ModelEvent['kind'], () => unknown>> = {
    refuses_then_discards: () => refusedThen('discards'),
    refuses_then_ends: () => refusedThen('deleted_on_chain'),
    refuses_then_deletes: () => refusedThen('contents_deleted'),
    chain_stalls: () => {
      run.chain.isHeld = true
    },
    lands: () => run.land(),
    reorganised: () => run.reorganise(),
    reorganised_for_a_while: () => run.reorganise({ forMs: untilNoticedMs }),
    reorganised_permanently: () => run.reorganise({ isForgotten: true }),
    discards: () => run.providers[0]?.collectGarbage(),
    terminated: () => run.endOnChain('terminated'),
    deleted_on_chain: () => run.endOnChain('deleted'),
    content_arrives: () => run.addContent(),
    contents_deleted: () => run.deleteContents(),
    uncached: () => run.cached.clear(),
    unfunded: () => {
      run.pipeline.world.funding = { isCovered: false, because: 'deposit', message: 'deposit more' }
    },
    released: async () => {
      await run.run(untilAttentionMs)
      await run.releaseAll()
    },
    crash: () => {
      for (const provider of run.providers) provider.crashesNext = true
    },
  }
  const mode = providerModes.find((candidate) => candidate === kind)
  if (mode) run.setMode(mode)
  await effects[kind]?.()
  await run.run(forMs)
}

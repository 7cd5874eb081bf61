import type { ObjectState } from '../../contract.ts'

/** Worst first. */
const order: readonly ObjectState[] = ['failed', 'cached', 'uploading', 'committing', 'replicating', 'stored']

interface PartSituation {
  readonly state: ObjectState
  readonly committed: number
  readonly isCached: boolean
}

/** The situation of a composite content: that of its worst part. It can be read when each part is in the cache or on chain. */
export function compositeSituation(parts: readonly PartSituation[]) {
  const worst = order.find((state) => parts.some((part) => part.state === state)) ?? 'stored'
  const isBegun = parts.some(({ state }) => state !== 'cached')
  return {
    state: worst === 'cached' && isBegun ? ('uploading' as const) : worst,
    committed: Math.min(...parts.map(({ committed }) => committed)),
    isCached: parts.every(({ isCached }) => isCached),
    isReadable: parts.every(({ isCached, committed }) => isCached || committed > 0),
  }
}

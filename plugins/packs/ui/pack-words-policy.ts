/** Words and figures of packs. Pure. */
import type { Answer } from '@svc/ui-kit'

type Pack = Answer<'GET /packs'>['packs'][number]

const states = {
  unstored: ['info', 'Waiting for its copies'],
  storing: ['info', 'Being stored'],
  failed: ['danger', 'Not stored'],
  stored: ['success', 'Stored'],
  lost: ['danger', 'Lost'],
} as const

export const wordOf = ({ state }: Pick<Pack, 'state'>): (typeof states)[Pack['state']] => states[state]

/** Share of the living bytes in whole percent, never 100 while some are dead. */
export function livingPercent({ size, living_bytes, dead_bytes }: Pick<Pack, 'size' | 'living_bytes' | 'dead_bytes'>): number {
  if (size === 0 || dead_bytes === 0) return 100
  return Math.min(99, Math.floor((living_bytes * 100) / (living_bytes + dead_bytes)))
}

/** Whether a replacement costs less than it saves. Undefined without prices. */
export const paysToCompact = ({ compaction }: Pick<Pack, 'compaction'>): boolean | undefined =>
  compaction && BigInt(compaction.saved) > BigInt(compaction.fees)

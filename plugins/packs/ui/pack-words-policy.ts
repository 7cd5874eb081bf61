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

export const packingTexts = {
  small: {
    label: 'Small objects',
    help: 'They wait for a pack, for minutes at most, and share a paid piece. Until it is stored they are only in the cache.',
  },
  off: { label: 'Off', help: 'Each object is a paid piece of its own.' },
} as const

/** Most days of the API. */
export const daysMax = 3650

export const eraseText = (days: number): string => (days === 0 ? 'When that pays' : `Within ${days} ${days === 1 ? 'day' : 'days'}`)

/** A pack that replaces another, or takes stored objects, has no members until it is stored: its bytes are not deleted ones. */
export const isFilled = ({ members }: Pick<Pack, 'members'>): boolean => members > 0

/** Share of the living bytes in whole percent, never 100 while some are dead. */
export function livingPercent({ size, living_bytes, dead_bytes }: Pick<Pack, 'size' | 'living_bytes' | 'dead_bytes'>): number {
  if (size === 0 || dead_bytes === 0) return 100
  return Math.min(99, Math.floor((living_bytes * 100) / (living_bytes + dead_bytes)))
}

/** Whether a replacement costs less than it saves. Undefined without prices. */
export const paysToCompact = ({ compaction }: Pick<Pack, 'compaction'>): boolean | undefined =>
  compaction && BigInt(compaction.saved) > BigInt(compaction.fees)

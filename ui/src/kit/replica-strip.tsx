import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { type Tone, toneBox, toneText } from './tone.ts'

type CopyStatus = 'pending' | 'piece_ready' | 'committing' | 'committed' | 'failed'

interface StripCopy {
  readonly copy_index: number
  readonly status: CopyStatus
  readonly provider_id?: string | undefined
}

interface CopyLook {
  readonly tone: Tone
  readonly icon: IconName
  readonly word: string
}

export const copyLooks: Readonly<Record<CopyStatus, CopyLook>> = {
  pending: { tone: 'neutral', icon: 'circle-dashed', word: 'Pending' },
  piece_ready: { tone: 'info', icon: 'arrow-up', word: 'Parked' },
  committing: { tone: 'info', icon: 'hourglass', word: 'Committing' },
  committed: { tone: 'success', icon: 'check', word: 'Stored' },
  failed: { tone: 'danger', icon: 'x', word: 'Failed' },
}

/** What happens to the missing copies: one vocabulary for every page. */
const works: Readonly<Record<'stuck' | 'waiting', { readonly word: string; readonly tone: Tone }>> = {
  stuck: { word: 'stuck', tone: 'danger' },
  waiting: { word: 'waiting', tone: 'warning' },
}

interface ReplicaStripProps {
  copies: readonly StripCopy[]
  /** Copies that are wanted: those without a record have not begun. */
  requested: number
  /** Adds `2 of 3` beside it. */
  text?: boolean | undefined
  /** Says when nothing makes the missing copies, or when they wait. */
  work?: 'complete' | 'working' | 'waiting' | 'stuck' | undefined
}

/** The copies of one version in the order of their replicas: a symbol and a colour per state. A plain function: tables show one per row. */
export const ReplicaStrip = ({ copies, requested, text, work }: ReplicaStripProps) => {
  const known = [...copies].sort((a, b) => a.copy_index - b.copy_index)
  const missing = Math.max(0, requested - known.length)
  const slots = [...known, ...Array.from({ length: missing }, (): Partial<StripCopy> => ({}))].map(
    ({ status = 'pending', provider_id }) => ({
      ...copyLooks[status],
      status,
      provider: provider_id === undefined ? '' : `, provider ${provider_id}`,
    }),
  )
  const stored = slots.filter(({ status }) => status === 'committed').length
  const shown = work === 'stuck' || work === 'waiting' ? works[work] : undefined
  if (slots.length === 0) return <span class="text-xs text-muted">None wanted</span>
  return (
    <span class="inline-flex items-center gap-1.5 align-middle">
      <span
        role="img"
        aria-label={`${stored} of ${slots.length} copies${shown ? `, ${shown.word}` : ''}: ${slots.map(({ word }) => word).join(', ')}`}
        data-tooltip={slots.map(({ word, provider }, index) => `Replica ${index + 1}${provider}: ${word}`).join('; ')}
        class="inline-flex gap-0.5"
      >
        {slots.map(({ status, tone, icon }, index) => (
          <span
            key={index}
            class={['flex size-5 items-center justify-center rounded-[5px] border', toneBox[tone], status === 'pending' && 'border-dashed']}
          >
            <Icon name={icon} size={12} />
          </span>
        ))}
      </span>
      {text && (
        <span class="text-xs text-muted">
          {stored} of {slots.length}
        </span>
      )}
      {shown && <span class={['text-xs font-medium', toneText[shown.tone]]}>{shown.word}</span>}
    </span>
  )
}

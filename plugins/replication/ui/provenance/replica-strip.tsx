import { Icon, type IconName, type Tone, toneBox } from '@svc/ui-kit'

type ReplicaState = 'pending' | 'parked' | 'committing' | 'stored' | 'failed'

export interface ReplicaSlot {
  readonly state: ReplicaState
  /** Provider or data set, for the explanation. */
  readonly name?: string | undefined
}

interface ReplicaStripProps {
  slots: readonly ReplicaSlot[]
  /** Adds `2 of 3` beside it. */
  text?: boolean | undefined
}

const looks: Readonly<Record<ReplicaState, { readonly tone: Tone; readonly icon: IconName; readonly word: string }>> = {
  pending: { tone: 'neutral', icon: 'circle-dashed', word: 'waiting' },
  parked: { tone: 'info', icon: 'arrow-up', word: 'at the provider, not committed' },
  committing: { tone: 'info', icon: 'hourglass', word: 'being committed' },
  stored: { tone: 'success', icon: 'check', word: 'stored' },
  failed: { tone: 'danger', icon: 'x', word: 'failed' },
}

/** The copies of one version, a slot for each: a symbol and a colour per state. A plain function: tables show one per row. */
export const ReplicaStrip = ({ slots, text }: ReplicaStripProps) => {
  const stored = slots.filter(({ state }) => state === 'stored').length
  const explanation = slots.map(({ state, name }, index) => `${name ?? `Copy ${index + 1}`}: ${looks[state].word}`).join(', ')
  return (
    <span class="inline-flex items-center gap-1.5 align-middle">
      <span
        role="img"
        aria-label={`${stored} of ${slots.length} copies stored. ${explanation}`}
        data-tooltip={explanation}
        class="inline-flex gap-0.5"
      >
        {slots.map(({ state }, index) => (
          <span
            key={index}
            class={[
              'flex size-5 items-center justify-center rounded-[5px] border',
              toneBox[looks[state].tone],
              state === 'pending' && 'border-dashed',
            ]}
          >
            <Icon name={looks[state].icon} size={12} />
          </span>
        ))}
      </span>
      {text && (
        <span class="text-xs text-muted">
          {stored} of {slots.length}
        </span>
      )}
    </span>
  )
}

import { component$, Slot } from '@builder.io/qwik'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'
import { type Tone, toneBox, toneFill } from './tone.ts'

interface BadgeProps {
  tone?: Tone | undefined
  /** Replaces the dot. */
  icon?: IconName | undefined
  title?: string | undefined
}

/** A state in one or two words. */
export const Badge = component$<BadgeProps>(({ tone = 'neutral', icon, title }) => (
  <span
    title={title}
    class={[
      'inline-flex max-w-full items-center gap-1.5 rounded-full border px-2 py-px align-middle text-xs font-medium whitespace-nowrap',
      toneBox[tone],
    ]}
  >
    {icon ? <Icon name={icon} size={12} /> : <Dot tone={tone} />}
    <span class="truncate">
      <Slot />
    </span>
  </span>
))

/** A dot of one tone, always beside the word that says what it means. */
const Dot = ({ tone = 'neutral' }: { tone?: Tone | undefined }) => (
  <svg width="6" height="6" viewBox="0 0 6 6" aria-hidden="true" class={['shrink-0', toneFill[tone]]}>
    <circle cx="3" cy="3" r="3" />
  </svg>
)

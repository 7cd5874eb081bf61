import { component$ } from '@builder.io/qwik'
import { Icon } from './icon.tsx'

interface Step {
  readonly id: string
  readonly label: string
  readonly help?: string | undefined
  readonly state: 'done' | 'current' | 'waiting' | 'failed'
}

const stateWords = { done: 'done', current: 'in progress', waiting: 'not started', failed: 'failed' } as const
const marks = {
  done: 'border-transparent bg-accent text-on-accent',
  current: 'border-accent text-accent',
  waiting: 'border-edge text-muted',
  failed: 'border-danger bg-danger-soft text-danger',
} as const

/** Phases in order, or the steps of a wizard. */
export const Stepper = component$<{ label: string; steps: readonly Step[] }>(({ label, steps }) => (
  <ol aria-label={label} class="flex min-w-0 flex-col gap-3 sm:flex-row sm:gap-2">
    {steps.map(({ id, label: text, help, state }, index) => (
      <li key={id} aria-current={state === 'current' ? 'step' : undefined} class="flex min-w-0 flex-1 gap-2.5 sm:flex-col">
        <span class="flex items-center gap-2">
          <span class={['flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-semibold', marks[state]]}>
            {state === 'done' && <Icon name="check" size={13} />}
            {state === 'failed' && <Icon name="x" size={13} />}
            {state !== 'done' && state !== 'failed' && index + 1}
          </span>
          {index < steps.length - 1 && (
            <span aria-hidden="true" class={['hidden h-px flex-1 sm:block', state === 'done' ? 'bg-accent' : 'bg-edge']} />
          )}
        </span>
        <span class="min-w-0 pt-0.5 text-sm">
          <span class={state === 'waiting' ? 'text-muted' : 'font-medium'}>{text}</span>
          <span class="sr-only">: {stateWords[state]}</span>
          {help && <span class="block text-xs text-muted">{help}</span>}
        </span>
      </li>
    ))}
  </ol>
))

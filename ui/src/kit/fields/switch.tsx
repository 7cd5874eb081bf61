import { component$ } from '@builder.io/qwik'
import { readBound, writeBound } from '../bound.ts'
import { type ToggleProps, ToggleRow } from './toggle-row.tsx'

export const Switch = component$<ToggleProps>((props) => (
  <ToggleRow label={props.label} help={props.help} lockedReason={props.lockedReason}>
    <span class="relative inline-flex h-5 w-9 shrink-0">
      <input
        type="checkbox"
        role="switch"
        aria-checked={readBound(props.value)}
        name={props.name}
        checked={readBound(props.value)}
        disabled={props.disabled || Boolean(props.lockedReason)}
        onChange$={(_, input) => writeBound(props, input.checked)}
        class="peer absolute inset-0 z-10 m-0 size-full opacity-0"
      />
      <span class="kit-ease absolute inset-0 rounded-full bg-control peer-checked:bg-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent peer-disabled:opacity-50" />
      <span class="kit-ease absolute top-0.5 left-0.5 size-4 rounded-full bg-panel peer-checked:translate-x-4" />
    </span>
  </ToggleRow>
))

import { component$ } from '@builder.io/qwik'
import { type BoundProps, readBound, writeBound } from '../bound.ts'
import { Icon } from '../icon.tsx'
import { type ToggleProps, ToggleRow } from './toggle-row.tsx'

/** A yes to one statement. */
export const Checkbox = component$<ToggleProps>((props) => (
  <ToggleRow label={props.label} help={props.help} lockedReason={props.lockedReason}>
    <CheckMark value={props.value} onValue$={props.onValue$} name={props.name} disabled={props.disabled || Boolean(props.lockedReason)} />
  </ToggleRow>
))

interface CheckMarkProps extends BoundProps<boolean> {
  name?: string | undefined
  disabled?: boolean | undefined
  /** Some, not all. */
  mixed?: boolean | undefined
  /** Needed where no label is around it. */
  'aria-label'?: string | undefined
}

/** The box alone, as in the rows of a table. */
export const CheckMark = component$<CheckMarkProps>((props) => (
  <span class="relative inline-flex size-5 align-middle shrink-0 items-center justify-center">
    <input
      type="checkbox"
      name={props.name}
      checked={readBound(props.value)}
      indeterminate={props.mixed}
      aria-label={props['aria-label']}
      disabled={props.disabled}
      onChange$={(_, input) => writeBound(props, input.checked)}
      class="peer absolute -inset-0.5 z-10 m-0 size-6 opacity-0"
    />
    <span class="kit-ease size-4.5 rounded-[5px] border border-control bg-panel peer-checked:border-accent peer-checked:bg-accent peer-indeterminate:border-accent peer-indeterminate:bg-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent peer-disabled:opacity-50" />
    <span class="pointer-events-none absolute text-on-accent opacity-0 peer-checked:opacity-100 peer-indeterminate:opacity-100">
      <Icon name={props.mixed ? 'minus' : 'check'} size={13} />
    </span>
  </span>
))

import { $, component$ } from '@builder.io/qwik'
import { type BoundProps, readBound, writeBound } from '../bound.ts'
import { Icon } from '../icon.tsx'
import { useField } from './field.tsx'

interface NumberStepperProps extends BoundProps<number> {
  min: number
  max: number
  step?: number | undefined
  disabled?: boolean | undefined
  /** Label outside a field. */
  'aria-label'?: string | undefined
}

/** A small whole number with buttons. Typed values outside the limits become the nearest limit. */
export const NumberStepper = component$<NumberStepperProps>((props) => {
  const field = useField()
  const off = props.disabled || field.locked
  const step = props.step ?? 1
  const change = $((next: number) => {
    if (Number.isNaN(next)) return
    return writeBound(props, Math.min(props.max, Math.max(props.min, Math.round(next))))
  })
  // While typing, because a click on a button of the form comes with the end of the typing.
  const take = $((typed: number) => {
    if (Number.isInteger(typed) && typed >= props.min && typed <= props.max) return writeBound(props, typed)
    return
  })
  const button =
    'kit-ease flex w-9 shrink-0 items-center justify-center text-muted enabled:hover:bg-sunken enabled:hover:text-fg disabled:cursor-not-allowed disabled:opacity-40'
  const value = readBound(props.value)
  return (
    <span class={['inline-flex h-9 w-32 overflow-hidden rounded-md border bg-panel', field.invalid ? 'border-danger' : 'border-edge']}>
      <button
        type="button"
        aria-label="One less"
        class={button}
        disabled={off || value <= props.min}
        onClick$={() => change(readBound(props.value) - step)}
      >
        <Icon name="minus" size={14} />
      </button>
      <input
        {...field.attributes}
        aria-label={props['aria-label']}
        type="number"
        inputMode="numeric"
        min={props.min}
        max={props.max}
        step={step}
        value={value}
        disabled={off}
        class="kit-number w-full min-w-0 border-x bg-transparent text-center text-sm outline-offset-[-2px] disabled:text-muted"
        onInput$={(_, input) => take(input.valueAsNumber)}
        onChange$={(_, input) => change(input.valueAsNumber)}
      />
      <button
        type="button"
        aria-label="One more"
        class={button}
        disabled={off || value >= props.max}
        onClick$={() => change(readBound(props.value) + step)}
      >
        <Icon name="plus" size={14} />
      </button>
    </span>
  )
})

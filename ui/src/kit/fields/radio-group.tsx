import { component$, useId } from '@builder.io/qwik'
import { type BoundProps, readBound, writeBound } from '../bound.ts'

interface RadioOption {
  readonly value: string
  readonly label: string
  readonly help?: string | undefined
  /** Why it cannot be chosen. */
  readonly lockedReason?: string | undefined
}

interface RadioGroupProps extends BoundProps<string> {
  label: string
  options: readonly RadioOption[]
  hideLabel?: boolean | undefined
}

/** One of a few, each with an explanation. Arrow keys are the browser's own. */
export const RadioGroup = component$<RadioGroupProps>((props) => {
  const name = useId()
  const current = readBound(props.value)
  return (
    <fieldset class="min-w-0">
      <legend class={props.hideLabel ? 'sr-only' : 'mb-1.5 text-sm font-medium'}>{props.label}</legend>
      <div class="flex flex-col gap-2">
        {props.options.map((option) => (
          <label
            key={option.value}
            class={[
              'kit-ease flex min-w-0 items-start gap-3 rounded-md border px-3 py-2.5 text-sm has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              option.lockedReason ? 'cursor-not-allowed text-muted' : 'hover:border-edge',
            ]}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === current}
              disabled={Boolean(option.lockedReason)}
              onChange$={(_, input) => writeBound(props, input.value)}
              class="mt-0.5 size-4 shrink-0 accent-accent outline-none"
            />
            <span class="min-w-0 [overflow-wrap:anywhere]">
              <span class="font-medium">{option.label}</span>
              {(option.lockedReason ?? option.help) && (
                <span class="mt-0.5 block text-xs text-muted">{option.lockedReason ?? option.help}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
})

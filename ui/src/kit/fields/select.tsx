import { component$, type PropsOf } from '@builder.io/qwik'
import { type BoundProps, readBound, writeBound } from '../bound.ts'
import { Icon } from '../icon.tsx'
import { controlClass, useField } from './field.tsx'

export interface SelectOption {
  readonly value: string
  readonly label: string
  readonly disabled?: boolean | undefined
}

interface SelectProps extends Omit<PropsOf<'select'>, 'value' | 'class' | 'bind:value' | 'children'>, BoundProps<string> {
  options: readonly SelectOption[]
}

/** One of a list; the browser's own list, so that it works on every device. */
export const Select = component$<SelectProps>((props) => {
  const field = useField()
  const { value, onValue$, options, disabled, ...rest } = props
  const current = readBound(value)
  return (
    <span class="relative block min-w-0">
      <select
        {...field.attributes}
        {...rest}
        class={[controlClass(field.invalid), 'appearance-none truncate pe-9']}
        disabled={disabled || field.locked}
        onChange$={(_, select) => writeBound({ value, onValue$ }, select.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled} selected={option.value === current}>
            {option.label}
          </option>
        ))}
      </select>
      <span class="pointer-events-none absolute end-2.5 top-2.5 text-muted">
        <Icon name="chevrons-up-down" />
      </span>
    </span>
  )
})

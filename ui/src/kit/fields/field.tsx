import { component$, createContextId, Slot, useContext, useContextProvider, useId, useStore, useTask$ } from '@builder.io/qwik'
import { Icon } from '../icon.tsx'

/** What a control takes from the field around it. */
interface FieldState {
  readonly id: string
  describedBy: string | undefined
  invalid: boolean
  required: boolean
  locked: boolean
}

const FieldContext = createContextId<FieldState>('svc.field')

interface FieldProps {
  label: string
  help?: string | undefined
  error?: string | undefined
  required?: boolean | undefined
  /** Why the value cannot be changed here, such as `Set by SVC_CACHE_MAX_SIZE`. The control is off. */
  lockedReason?: string | undefined
  /** The label is for screen readers alone. */
  hideLabel?: boolean | undefined
}

/** Label, help and error of one control, which is its child. */
export const Field = component$<FieldProps>((props) => {
  const id = useId()
  const state = useStore<FieldState>({ id, describedBy: undefined, invalid: false, required: false, locked: false })
  useTask$(({ track }) => {
    const { help, error, required, lockedReason } = track(() => ({
      help: props.help,
      error: props.error,
      required: props.required,
      lockedReason: props.lockedReason,
    }))
    const parts = [help && `${id}-help`, error && `${id}-error`, lockedReason && `${id}-locked`].filter(Boolean)
    state.describedBy = parts.length > 0 ? parts.join(' ') : undefined
    state.invalid = Boolean(error)
    state.required = Boolean(required)
    state.locked = Boolean(lockedReason)
  })
  useContextProvider(FieldContext, state)
  return (
    <div class="flex min-w-0 flex-col gap-1.5">
      <label for={id} class={props.hideLabel ? 'sr-only' : 'text-sm font-medium'}>
        {props.label}
        {props.required && (
          <span class="text-danger" aria-hidden="true">
            {' '}
            *
          </span>
        )}
      </label>
      <Slot />
      {props.help && (
        <p id={`${id}-help`} class="text-xs text-muted">
          {props.help}
        </p>
      )}
      {props.lockedReason && (
        <p id={`${id}-locked`} class="flex items-start gap-1.5 text-xs text-muted">
          <Icon name="lock" size={13} class="mt-px" />
          {props.lockedReason}
        </p>
      )}
      {props.error && (
        <p id={`${id}-error`} role="alert" class="flex items-start gap-1.5 text-xs text-danger [overflow-wrap:anywhere]">
          <Icon name="circle-alert" size={13} class="mt-px" />
          {props.error}
        </p>
      )}
    </div>
  )
})

const noField = null as FieldState | null

/** The attributes of a control inside a field; none outside, where it needs an `aria-label`. */
export const useField = () => {
  const field = useContext(FieldContext, noField)
  return {
    id: field?.id,
    locked: field?.locked ?? false,
    invalid: field?.invalid ?? false,
    attributes: {
      id: field?.id,
      'aria-describedby': field?.describedBy,
      'aria-invalid': field?.invalid ? ('true' as const) : undefined,
      required: field?.required || undefined,
    },
  }
}

/** Look of text controls. */
export const controlClass = (invalid: boolean): string =>
  `kit-ease h-9 w-full min-w-0 rounded-md border bg-panel px-3 text-sm text-fg disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted [&[readonly]]:bg-sunken ${
    invalid ? 'border-danger' : 'border-edge enabled:hover:border-control'
  }`

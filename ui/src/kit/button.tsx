import { component$, type PropsOf, Slot } from '@builder.io/qwik'
import type { Route } from '../data/endpoints.ts'
import { useRefusal } from '../data/refusals.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'

const base =
  'kit-ease inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55'

const variants: Readonly<Record<ButtonVariant, string>> = {
  primary: 'border-transparent bg-accent text-on-accent enabled:hover:bg-accent-hover',
  secondary: 'border-edge bg-panel text-fg enabled:hover:bg-sunken',
  ghost: 'border-transparent text-muted enabled:hover:bg-sunken enabled:hover:text-fg',
  danger: 'border-transparent bg-danger-solid text-white enabled:hover:bg-danger-solid-hover',
}

const sizes = { sm: 'h-7 px-2.5 text-xs', md: 'h-9 px-3.5 text-sm' } as const

/** Classes of a button, for links that look like one. Links carry no `enabled:` state. */
export const buttonClass = (variant: ButtonVariant = 'secondary', size: 'sm' | 'md' = 'md'): string =>
  `${base} ${variants[variant]} ${sizes[size]}`

interface ButtonProps extends Omit<PropsOf<'button'>, 'class'> {
  variant?: ButtonVariant | undefined
  size?: 'sm' | 'md' | undefined
  icon?: IconName | undefined
  /** The action runs: a spinner, no second click, and `pendingLabel` for screen readers. */
  pending?: boolean | undefined
  pendingLabel?: string | undefined
  /** Why the action is not offered. The button stays focusable, so that the reason can be read. */
  lockedReason?: string | undefined
  /** The route that it leads to: locked, with the reason, for a role that may not use it. */
  changes?: Route | undefined
  /** Not shown instead of locked, as in rows and bars. */
  orHidden?: boolean | undefined
  class?: string | undefined
}

export const Button = component$<ButtonProps>(
  ({
    variant = 'secondary',
    size = 'md',
    icon,
    pending,
    pendingLabel,
    lockedReason,
    changes,
    orHidden,
    class: extra,
    disabled,
    onClick$,
    type,
    ...rest
  }) => {
    const refusal = useRefusal()(changes)
    const reason = refusal ?? lockedReason
    if (refusal && orHidden) return null
    return (
      <button
        {...rest}
        // A refused button sends no form.
        type={refusal ? 'button' : (type ?? 'button')}
        data-changes={changes}
        class={[buttonClass(variant, size), extra]}
        disabled={disabled || pending}
        aria-busy={pending ? 'true' : undefined}
        aria-disabled={reason ? 'true' : undefined}
        data-tooltip={reason}
        onClick$={reason ? undefined : onClick$}
      >
        {pending ? <Icon name="loader-circle" class="kit-spin" /> : icon && <Icon name={icon} />}
        <Slot />
        {pending && <span class="sr-only">{pendingLabel ?? 'in progress'}</span>}
      </button>
    )
  },
)

interface IconButtonProps extends Omit<PropsOf<'button'>, 'class' | 'children'> {
  icon: IconName
  /** Name for screen readers, also shown as tooltip. */
  label: string
  variant?: ButtonVariant | undefined
  size?: 'sm' | 'md' | undefined
  pending?: boolean | undefined
  class?: string | undefined
}

/** Square button with an icon alone. */
export const IconButton = component$<IconButtonProps>(
  ({ icon, label, variant = 'ghost', size = 'md', pending, disabled, class: extra, ...rest }) => (
    <button
      type="button"
      {...rest}
      aria-label={label}
      aria-busy={pending ? 'true' : undefined}
      data-tooltip={label}
      disabled={disabled || pending}
      class={[base, variants[variant], size === 'sm' ? 'size-7' : 'size-9', extra]}
    >
      <Icon name={pending ? 'loader-circle' : icon} class={pending ? 'kit-spin' : undefined} />
    </button>
  ),
)

interface LinkButtonProps extends Omit<PropsOf<'a'>, 'class'> {
  /** The route that its page is for: not shown for a role that may not use it. */
  changes?: Route | undefined
  variant?: ButtonVariant | undefined
  size?: 'sm' | 'md' | undefined
  icon?: IconName | undefined
  class?: string | undefined
}

const linkHover: Readonly<Record<ButtonVariant, string>> = {
  primary: 'hover:bg-accent-hover',
  secondary: 'hover:bg-sunken',
  ghost: 'hover:bg-sunken hover:text-fg',
  danger: 'hover:bg-danger-solid-hover',
}

/** A link that looks like a button: a page to go to, or a download. */
export const LinkButton = component$<LinkButtonProps>(({ variant = 'secondary', size = 'md', icon, changes, class: extra, ...rest }) =>
  useRefusal()(changes) ? null : (
    <a {...rest} data-changes={changes} class={[buttonClass(variant, size), linkHover[variant], extra]}>
      {icon && <Icon name={icon} />}
      <Slot />
    </a>
  ),
)

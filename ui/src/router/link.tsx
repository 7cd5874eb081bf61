import { type ClassList, component$, Slot } from '@builder.io/qwik'
import { hrefOf } from './match.ts'

interface LinkProps {
  /** A page, such as `/buckets/:name`; or a whole address. */
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly class?: ClassList
  readonly title?: string
  readonly 'aria-label'?: string
  readonly 'aria-current'?: 'page'
}

/** A plain link: opening it in a new tab, copying its address and the middle button work. */
export const Link = component$<LinkProps>((props) => (
  <a
    href={props.params || props.query ? hrefOf(props.to, props.params, props.query) : props.to}
    class={props.class}
    title={props.title}
    aria-label={props['aria-label']}
    aria-current={props['aria-current']}
  >
    <Slot />
  </a>
))

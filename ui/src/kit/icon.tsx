import { iconPaths } from 'virtual:svc-icons'
import type { IconName } from './icon-names.ts'

interface IconProps {
  /** An unknown name, as of a plugin built for a later version, shows an empty circle. */
  name: IconName
  /** Side in pixels; 16 by default. */
  size?: number | undefined
  class?: string | undefined
}

/** One icon without a name for screen readers: the control around it has one. A plain function: tables show hundreds. */
export const Icon = ({ name, size = 16, class: extra }: IconProps) => (
  <svg
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    class={['shrink-0', extra]}
  >
    <path d={iconPaths[name] ?? iconPaths.circle} />
  </svg>
)

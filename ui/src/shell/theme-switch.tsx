import { component$ } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { Icon } from '../kit/icon.tsx'
import type { IconName } from '../kit/icon-names.ts'
import { chooseTheme, type Theme, theme } from './theme.ts'

const choices: readonly (readonly [choice: Theme, icon: IconName, label: string])[] = [
  ['system', 'monitor', 'Theme of the system'],
  ['light', 'sun', 'Light theme'],
  ['dark', 'moon', 'Dark theme'],
]

export const ThemeSwitch = component$(() => {
  const current = useObservable(theme)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row in every browser
    <div role="group" aria-label="Theme" class="inline-flex gap-0.5 rounded-md border bg-bg p-0.5">
      {choices.map(([choice, icon, label]) => (
        <button
          key={choice}
          type="button"
          aria-label={label}
          aria-pressed={current.value === choice}
          data-tooltip={label}
          onClick$={() => chooseTheme(choice)}
          class={[
            'kit-ease flex size-7 items-center justify-center rounded-sm',
            current.value === choice ? 'bg-sunken text-fg' : 'text-muted hover:text-fg',
          ]}
        >
          <Icon name={icon} size={15} />
        </button>
      ))}
    </div>
  )
})

import { component$, useSignal } from '@builder.io/qwik'
import { Button, PageHeader } from '../../kit/index.ts'
import { Badges, Buttons, Facts, HostileNames, Icons, Messages, Stats } from './basics.tsx'
import { Bars, Lines, Maps } from './charts.tsx'
import { Choices, Fields, Filters } from './forms.tsx'
import { Dialogs, Menus } from './overlays.tsx'
import { Tables } from './tables.tsx'

/** Every component in every state. Development and tests only. */
export const KitPage = component$(() => {
  const compact = useSignal(false)
  return (
    <main class="mx-auto max-w-[1280px] p-4 sm:p-8">
      <PageHeader title="Kit" description="Every component in every state." crumbs={[{ label: 'Development', to: '#' }, { label: 'Kit' }]}>
        <Button
          q:slot="actions"
          icon="moon"
          onClick$={() => {
            document.documentElement.classList.toggle('dark')
          }}
        >
          Theme
        </Button>
        <Button
          q:slot="actions"
          icon="rows-3"
          aria-pressed={compact.value}
          onClick$={() => {
            compact.value = !compact.value
            document.documentElement.dataset.density = compact.value ? 'compact' : 'comfortable'
          }}
        >
          Density
        </Button>
      </PageHeader>
      <div class="grid min-w-0 grid-cols-1 gap-x-8 gap-y-10 lg:grid-cols-2">
        <Stats />
        <Buttons />
        <Badges />
        <Messages />
        <Facts />
        <Fields />
        <Choices />
        <Filters />
        <Dialogs />
        <Menus />
        <HostileNames />
        <Tables />
        <Lines />
        <Bars />
        <Maps />
        <Icons />
      </div>
    </main>
  )
})

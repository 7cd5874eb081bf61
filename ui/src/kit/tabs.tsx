import { component$, type JSXOutput, Slot, useId } from '@builder.io/qwik'
import { type BoundProps, readBound, writeBound } from './bound.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-names.ts'

interface Tab {
  readonly id: string
  readonly label: string
  readonly icon?: IconName | undefined
  /** A figure at the right of the label. */
  readonly count?: JSXOutput | undefined
  /** Marks a tab that holds an error, with these words for screen readers. */
  readonly problem?: string | undefined
}

interface TabsProps extends BoundProps<string> {
  label: string
  tabs: readonly Tab[]
}

/** Tabs within a page: arrow keys move and choose. The slot is the panel of the chosen tab. Pages with URLs of their own use TabLinks. */
export const Tabs = component$<TabsProps>((props) => {
  const id = useId()
  const current = readBound(props.value)
  return (
    <div class="min-w-0">
      <div role="tablist" aria-label={props.label} data-roving="horizontal" data-roving-select="" class={listClass}>
        {props.tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            data-roving-item=""
            onClick$={() => writeBound(props, tab.id)}
            class={[tabClass, tab.id === current ? chosen : other]}
          >
            <TabContent tab={tab} />
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the panel follows its tab in the order of focus */}
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`} tabIndex={0} class="pt-4 outline-offset-4">
        <Slot />
      </div>
    </div>
  )
})

interface LinkedTab extends Tab {
  readonly to: string
}

/** Tabs that are pages: links with `aria-current`. */
export const TabLinks = component$<{ label: string; tabs: readonly LinkedTab[]; current: string }>(({ label, tabs, current }) => (
  <nav aria-label={label} class={listClass}>
    {tabs.map((tab) => (
      <a
        key={tab.id}
        href={tab.to}
        aria-current={tab.id === current ? 'page' : undefined}
        class={[tabClass, tab.id === current ? chosen : other]}
      >
        <TabContent tab={tab} />
      </a>
    ))}
  </nav>
))

const listClass = 'flex min-w-0 gap-1 overflow-x-auto overflow-y-hidden border-b [scrollbar-width:none]'
const tabClass =
  'kit-ease -mb-px flex h-10 shrink-0 items-center gap-2 border-b-2 px-3 text-sm font-medium whitespace-nowrap outline-offset-[-2px] rounded-t-sm'
const chosen = 'border-accent text-fg'
const other = 'border-transparent text-muted hover:text-fg'

const TabContent = ({ tab }: { tab: Tab }) => (
  <>
    {tab.icon && <Icon name={tab.icon} />}
    {tab.label}
    {tab.count !== undefined && <span class="rounded-full bg-sunken px-1.5 text-xs text-muted">{tab.count}</span>}
    {tab.problem && (
      <>
        <Icon name="circle-alert" size={14} class="text-danger" />
        <span class="sr-only">{tab.problem}</span>
      </>
    )}
  </>
)

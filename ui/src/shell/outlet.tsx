import { component$, useContextProvider, useTask$ } from '@builder.io/qwik'
import { useObservable } from '../data/observable.ts'
import { enabledPlugins } from '../data/session.ts'
import { LinkButton } from '../kit/button.tsx'
import { Empty } from '../kit/empty.tsx'
import { address } from '../router/location.ts'
import { PageContext } from '../router/use-route.ts'
import { Boundary } from './boundary.tsx'
import { type FoundPage, findPage } from './parts.ts'

export const Outlet = component$<{ isSetup: boolean }>(({ isSetup }) => {
  const current = useObservable(address)
  const enabled = useObservable(enabledPlugins)
  const path = current.value.split('?')[0] ?? '/'
  const found = findPage(path)
  if (!found) return <Notice key={path} title="Page not found" icon="file-x" text={`There is no page at ${path}.`} />
  if (isSetup && !found.page.setup) return <SetupRequired key={path} />
  if (!isSetup && !enabled.value?.has(found.plugin)) return <PluginOff key={path} plugin={found.plugin} title={found.page.title} />
  return (
    <Boundary key={path} what="page">
      <ShownPage found={found} />
    </Boundary>
  )
})

const ShownPage = component$<{ found: FoundPage }>(({ found }) => {
  useContextProvider(PageContext, { path: found.page.path, params: found.params })
  useTask$(() => showTitle(found.page.title))
  const Page = found.page.component
  return <Page />
})

/** Screen readers hear the new page, and the keyboard continues in it. */
function showTitle(title: string): void {
  document.title = `${title} · svc`
  setTimeout(() => {
    const main = document.getElementById('main')
    const heading = main?.querySelector('h1') ?? main
    // A page may have placed the focus itself, such as in its search field.
    if (!main?.contains(document.activeElement)) heading?.focus({ preventScroll: true })
  })
}

interface NoticeProps {
  title: string
  text: string
  /** Typed where the service runs. */
  command?: string | undefined
  icon: 'file-x' | 'plug'
}

const Notice = component$<NoticeProps>(({ title, text, command, icon }) => {
  useTask$(() => showTitle(title))
  return (
    <>
      <h1 tabIndex={-1} class="sr-only">
        {title}
      </h1>
      <Empty icon={icon} title={title} text={text}>
        {command && <code class="self-center rounded-md border bg-sunken px-2.5 py-1 font-mono text-xs">{command}</code>}
        <LinkButton href="/">Go to the overview</LinkButton>
      </Empty>
    </>
  )
})

const PluginOff = component$<{ plugin: string; title: string }>(({ plugin, title }) => (
  <Notice
    title={`${title}: this feature is off`}
    icon="plug"
    text={`It belongs to the plugin ${plugin}, which is disabled. Enable the plugin, then restart the service.`}
    command={`svc plugins enable ${plugin}`}
  />
))

const SetupRequired = component$(() => {
  useTask$(() => showTitle('Setup required'))
  return (
    <>
      <h1 tabIndex={-1} class="sr-only">
        Setup required
      </h1>
      <Empty
        icon="settings"
        title="The service is in setup mode"
        text="It lacks settings that it needs to start. Complete them, then restart the service."
      >
        <LinkButton href="/settings" variant="primary">
          Open the settings
        </LinkButton>
      </Empty>
    </>
  )
})

import { component$, useSignal, useStore, useTask$ } from '@builder.io/qwik'
import {
  Card,
  Copyable,
  ErrorAlert,
  PageHeader,
  SearchField,
  Skeleton,
  SkeletonLines,
  setSearch,
  Tabs,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { CacheCard } from '../overview/cache-card.tsx'
import type { Settings } from './draft-policy.ts'
import { PreflightCard } from './preflight-card.tsx'
import { SaveBar } from './save-bar.tsx'
import { SaveDialog } from './save-dialog.tsx'
import { findSettings } from './search-policy.ts'
import { SettingsBanners } from './settings-banners.tsx'
import type { SettingsForm } from './settings-form.ts'
import { SettingsGroups } from './settings-groups.tsx'
import { SetupWatch } from './setup-watch.tsx'
import { listTabs, problemsOf, tabProblem } from './tabs-policy.ts'
import { LeaveDialog, useLeaveGuard } from './use-leave-guard.tsx'
import { useValidation } from './use-validation.ts'

/** All settings of the service and its plugins, as the service describes them. Also the page of setup mode. */
export const SettingsPage = component$(() => {
  const query = useQuery('GET /settings')
  const form = useStore<SettingsForm>({ drafts: {}, checked: undefined }, { deep: false })
  const search = useSearchParam('q')
  const guard = useLeaveGuard(query, form)
  useValidation(query, form)
  const settings = query.data
  const wasSetup = useSignal(false)
  // A later answer may come from the service in full mode: the watch that loads the whole dashboard must outlive it.
  useTask$(({ track }) => {
    if (track(() => query.data)?.runtime_available === false) wasSetup.value = true
  })
  return (
    <>
      <PageHeader
        title="Settings"
        description="What the service runs with. Changes are written to its configuration file and take effect when it starts again."
      >
        {settings && (
          <span q:slot="actions" class="flex min-w-0 max-w-full items-center gap-2 text-xs text-muted">
            <Copyable text={settings.config_path} label="path of the configuration file" keep={24} />
          </span>
        )}
      </PageHeader>
      <ErrorAlert error={query.error} title="The settings cannot be read" onRetry$={query.refresh} class="mb-4" />
      {!settings && !query.error && <SettingsSkeleton />}
      {settings && (
        <>
          <SettingsBanners settings={settings} />
          {wasSetup.value && <SetupWatch form={form} settings={settings} />}
          <div class="mb-3 max-w-100">
            <SearchField
              label="Find a setting"
              placeholder="Find a setting"
              value={search.value}
              onValue$={(text: string) => setSearch({ q: text }, { replace: true })}
            />
          </div>
          <SettingsBody settings={settings} form={form} search={search.value} />
          <LeaveDialog guard={guard} form={form} />
        </>
      )}
    </>
  )
})

const SettingsBody = component$<{ settings: Settings; form: SettingsForm; search: string }>(({ settings, form, search }) => {
  const chosen = useSearchParam('tab')
  const saving = useSignal(false)
  const errors = problemsOf(settings, form.checked)
  const tabs = listTabs(settings.metadata)
  const isSetup = !settings.runtime_available
  // What a service lacks is mostly there.
  const tab = tabs.find(({ id }) => id === (chosen.value || (isSetup ? 'chain' : ''))) ?? tabs[0]
  return (
    <>
      {search !== '' ? (
        <SettingsGroups groups={findSettings(tabs, search)} settings={settings} form={form} errors={errors} />
      ) : (
        <Tabs
          label="Parts of the settings"
          value={tab?.id ?? ''}
          tabs={tabs.map(({ id, label }) => ({ id, label, problem: tabProblem(id, errors) }))}
          onValue$={(id: string) => setSearch({ tab: id }, { replace: true })}
        >
          <SettingsGroups key={tab?.id} groups={tab?.groups ?? []} settings={settings} form={form} errors={errors} />
        </Tabs>
      )}
      {(isSetup || tab?.id === 'chain') && (
        <div class="mt-4">
          <PreflightCard settings={settings} form={form} />
        </div>
      )}
      {!isSetup && search === '' && tab?.id === 'cache' && (
        <div class="mt-4 max-w-140">
          <CacheCard />
        </div>
      )}
      <SaveBar settings={settings} form={form} saving={saving} />
      <SaveDialog open={saving} settings={settings} form={form} />
    </>
  )
})

const SettingsSkeleton = component$(() => (
  <div role="status" aria-label="Loading the settings">
    <Skeleton class="mb-4 h-9 w-100 max-w-full" />
    <Skeleton class="mb-4 h-10 w-full" />
    <Card>
      <div class="flex flex-col gap-8 py-3">
        {[1, 2, 3, 4].map((row) => (
          <SkeletonLines key={row} lines={3} label="Loading a setting" />
        ))}
      </div>
    </Card>
  </div>
))

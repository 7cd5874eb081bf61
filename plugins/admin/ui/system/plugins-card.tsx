import { $, component$, useSignal } from '@builder.io/qwik'
import { Alert, Badge, Card, type Column, type MenuItem, Table, useQuery } from '@svc/ui-kit'
import { type PluginView, viewPlugins } from './plugin-policy.ts'
import { SwitchDialog } from './switch-dialog.tsx'

const columns: readonly Column<PluginView>[] = [
  { id: 'id', label: 'Plugin', title: true, cell: ({ plugin }) => <span class="font-medium">{plugin.id}</span> },
  { id: 'state', label: 'State', cell: (view) => <PluginState view={view} /> },
  { id: 'requires', label: 'Requires', grow: true, cell: ({ plugin }) => plugin.requires.join(', ') || '—' },
  { id: 'required-by', label: 'Required by', wide: true, cell: ({ requiredBy }) => requiredBy.join(', ') || '—' },
  {
    id: 'services',
    label: 'Services',
    align: 'end',
    wide: true,
    cell: ({ plugin }) => <span title={plugin.services.join(', ')}>{plugin.services.length}</span>,
  },
  {
    id: 'start',
    label: 'Start',
    align: 'end',
    wide: true,
    cell: ({ plugin }) => (plugin.enabled ? `${Math.round(plugin.start_ms)} ms` : '—'),
  },
]

const PluginState = component$<{ view: PluginView }>(({ view: { plugin, isWanted, restsWithout, needsRestart } }) => (
  <span class="inline-flex flex-wrap gap-1.5">
    <Badge tone={plugin.enabled ? 'success' : 'neutral'}>{plugin.enabled ? 'Enabled' : restsWithout ? 'Resting' : 'Disabled'}</Badge>
    {needsRestart && <Badge tone="warning">{isWanted && !restsWithout ? 'On after restart' : 'Off after restart'}</Badge>}
    {restsWithout && <span class="text-muted">Rests without {restsWithout}</span>}
  </span>
))

/** All plugins of the installation, which can be switched for the next start. */
export const PluginsCard = component$(() => {
  const plugins = useQuery('GET /system/plugins')
  const settings = useQuery('GET /settings')
  const open = useSignal(false)
  const chosen = useSignal('')
  const views = plugins.data && settings.data ? viewPlugins(plugins.data, settings.data) : undefined
  const error = plugins.error ?? settings.error
  return (
    <Card title="Plugins" flush>
      {views?.some(({ needsRestart }) => needsRestart) && (
        <div class="px-4 pb-3">
          <Alert tone="warning" title="Restart the service">
            The change of plugins takes effect when it starts again.
          </Alert>
        </div>
      )}
      <Table
        label="Plugins"
        columns={columns}
        rows={views}
        rowKey={({ plugin }) => plugin.id}
        skeletonRows={7}
        error={views ? undefined : error?.message}
        onRetry$={$(async () => {
          await Promise.all([plugins.refresh(), settings.refresh()])
        })}
        menu={actionsOf}
        onMenu$={$((_action: string, id: string) => {
          chosen.value = id
          open.value = true
        })}
      />
      <SwitchDialog open={open} view={views?.find(({ plugin }) => plugin.id === chosen.value)} />
    </Card>
  )
})

const actionsOf = ({ isWanted, lockedReason }: PluginView): readonly MenuItem[] => [
  isWanted
    ? { id: 'off', label: 'Disable', icon: 'power', danger: true, lockedReason, changes: 'PUT /settings' }
    : { id: 'on', label: 'Enable', icon: 'power', lockedReason, changes: 'PUT /settings' },
]

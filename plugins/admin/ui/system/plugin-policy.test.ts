import { expect, test } from 'vitest'
import { aboutSetting, settingsWith } from '../settings/testing/settings.ts'
import { describeDisabling, type RunningPlugin, switchPlugin, viewPlugins } from './plugin-policy.ts'

const plugin = (id: string, requires: readonly string[] = [], enabled = true): RunningPlugin => ({
  id,
  enabled,
  requires: [...requires],
  accompanies: [],
  services: [],
  start_ms: 1,
})
const plugins = [
  plugin('wallet'),
  plugin('storage'),
  plugin('replication', ['storage', 'wallet']),
  plugin('admin', ['storage', 'replication']),
  plugin('s3', ['storage']),
  plugin('archive', ['s3'], false),
]
const settings = (disabled: readonly string[]) =>
  settingsWith({ 'plugins.disabled': aboutSetting() }, { config: { plugins: { disabled } } })
const view = (id: string, disabled: readonly string[]) => viewPlugins(plugins, settings(disabled)).find((entry) => entry.plugin.id === id)

test('what serves the settings cannot be disabled, nor what it requires', () => {
  expect(view('admin', [])?.lockedReason).toContain('svc plugins disable')
  expect(view('wallet', [])?.lockedReason).toContain('admin')
})

test('a plugin that others require is disabled after them', () => {
  expect(view('s3', [])?.lockedReason).toContain('archive')
  expect(view('s3', ['archive'])?.lockedReason).toBeUndefined()
  expect(view('storage', [])?.requiredBy).toEqual(['replication', 'admin', 's3'])
})

test('a plugin is enabled after what it requires', () => {
  expect(view('archive', ['archive', 's3'])?.lockedReason).toContain('enable that first')
  expect(view('archive', ['archive'])?.lockedReason).toBeUndefined()
})

test('a saved switch waits for a restart', () => {
  expect(view('s3', ['s3', 'archive'])).toMatchObject({ isWanted: false, needsRestart: true })
  expect(view('archive', ['archive'])).toMatchObject({ isWanted: false, needsRestart: false })
})

test('a plugin rests while the one that it accompanies is disabled, and stays wanted', () => {
  const withCosts = [...plugins, { ...plugin('costs'), accompanies: ['s3'] }, { ...plugin('reports', [], false), accompanies: ['costs'] }]
  const of = (id: string, disabled: readonly string[]) => viewPlugins(withCosts, settings(disabled)).find((entry) => entry.plugin.id === id)
  expect(of('costs', [])).toMatchObject({ isWanted: true, restsWithout: undefined, needsRestart: false, lockedReason: undefined })
  expect(of('costs', ['archive', 's3'])).toMatchObject({ isWanted: true, restsWithout: 's3', needsRestart: true })
  expect(of('reports', ['archive', 's3'])).toMatchObject({ isWanted: true, restsWithout: 's3', needsRestart: false })
  expect(of('reports', ['archive'])).toMatchObject({ restsWithout: undefined, needsRestart: true })
})

test('nothing is offered while the environment or a read-only file decides', () => {
  const managed = { ...settings([]), env_managed: { 'plugins.disabled': 'SVC_PLUGINS_DISABLED' } }
  expect(viewPlugins(plugins, managed).every(({ lockedReason }) => lockedReason?.includes('SVC_PLUGINS_DISABLED'))).toBe(true)
  expect(viewPlugins(plugins, { ...settings([]), writable: false })[4]?.lockedReason).toContain('/etc/svc/config.toml')
})

test('the question names what other programs lose', () => {
  expect(describeDisabling('observability')).toContain('/metrics, which answers 404')
  expect(describeDisabling('packs')).not.toContain('/metrics')
})

test('a switch changes one entry of the list', () => {
  expect(switchPlugin(['tasks'], 's3', false)).toEqual(['tasks', 's3'])
  expect(switchPlugin(['tasks', 's3'], 's3', true)).toEqual(['tasks'])
})

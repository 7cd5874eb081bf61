import { expect, test } from 'vitest'
import { aboutSetting, settingsWith } from '../settings/testing/settings.ts'
import { listSteps } from './setup-steps-policy.ts'

const metadata = {
  'chain.private_key': aboutSetting({ secret: true, editable: false }),
  'cache.max_size_gb': aboutSetting({ label: 'Capacity' }),
  'database.dsn': aboutSetting({ label: 'Database', editable: false }),
}
const missingKey = {
  mode: 'setup',
  config: { chain: { network: 'calibration', rpc_url: '' } },
  manual: { ...settingsWith(metadata).manual, chain_private_key: { configured: false, field: 'chain.private_key', env: 'SVC_KEY' } },
} as const
const statesOf = (...of: Parameters<typeof listSteps>) => listSteps(...of).map(({ id, state }) => `${id} ${state}`)

test('every problem is a step with the place that mends it, and the restart waits for all of them', () => {
  const settings = settingsWith(metadata, {
    ...missingKey,
    validation_errors: [
      { field: 'chain.private_key', message: 'is required' },
      { field: 'cache.max_size_gb', message: 'must be at least 1' },
      { field: 'database.dsn', message: 'must not be empty' },
    ],
  })
  expect(statesOf(settings)).toEqual(['chain done', 'key current', 'cache.max_size_gb current', 'database.dsn current', 'restart waiting'])
  const [chain, , capacity, database] = listSteps(settings)
  expect([chain?.tab, capacity?.tab, database?.tab]).toEqual(['chain', 'cache', undefined])
  expect(database?.text).toContain('/etc/svc/config.toml')
})

test('with everything set only the restart is left, and says who does it', () => {
  const settings = settingsWith(metadata, { config: missingKey.config })
  expect(statesOf(settings)).toEqual(['chain done', 'key done', 'restart current'])
  expect(listSteps(settings).at(-1)?.text).toContain('Restart it where it runs')
  const supervised = { ...settings, restart: { ...settings.restart, supervised: true } }
  expect(listSteps(supervised).at(-1)?.text).not.toContain('where it runs')
})

test('without the plugin of the wallet no key is asked for', () => {
  expect(statesOf(settingsWith({}))).toEqual(['restart current'])
})

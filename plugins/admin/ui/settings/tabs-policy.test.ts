import { expect, test } from 'vitest'
import { findSettings } from './search-policy.ts'
import { listTabs, manualProblems, problemsOf, tabProblem, toErrors } from './tabs-policy.ts'
import { aboutSetting, settingsWith } from './testing/settings.ts'

const metadata = {
  'archive.folder': aboutSetting({ group: 'archive', label: 'Folder' }),
  'chain.private_key': aboutSetting({ group: 'chain', secret: true, editable: false }),
  'chain.network': aboutSetting({ group: 'chain', description: 'calibration or mainnet' }),
  'chain.observability.timeout': aboutSetting({ group: 'chain.observability' }),
  'worker.tasks.concurrency': aboutSetting({ group: 'worker.tasks' }),
  's3.region': aboutSetting({ group: 's3' }),
}

test('each table of the file is a tab, those of other authors last', () => {
  expect(listTabs(metadata).map(({ id, label }) => `${id}: ${label}`)).toEqual([
    's3: S3',
    'chain: Chain',
    'worker: Tasks',
    'archive: Archive',
  ])
})

test('what only the file changes comes last in its tab', () => {
  const chain = listTabs(metadata).find(({ id }) => id === 'chain')
  expect(chain?.groups.map(({ path, isManual, fields }) => [path, isManual, fields.map(([field]) => field)])).toEqual([
    ['chain', false, ['chain.network']],
    ['chain.observability', false, ['chain.observability.timeout']],
    ['chain', true, ['chain.private_key']],
  ])
})

test('without changes the problems of the saved settings are shown, with changes those of the draft and of the file', () => {
  const settings = settingsWith(metadata, {
    validation_errors: [
      { field: 'chain.private_key', message: 'is required' },
      { field: 's3.region', message: 'must not be empty' },
    ],
  })
  expect(problemsOf(settings, undefined)).toEqual({ 'chain.private_key': 'is required', 's3.region': 'must not be empty' })
  const checked = toErrors([{ field: 'chain.network', message: 'wrong' }])
  expect(problemsOf(settings, checked)).toEqual({ 'chain.private_key': 'is required', 'chain.network': 'wrong' })
  expect(manualProblems(settings, problemsOf(settings, checked))).toEqual(['chain.private_key'])
})

test('a tab says how many of its settings need attention', () => {
  const errors = toErrors([
    { field: 'chain.network', message: 'first' },
    { field: 'chain.network', message: 'second' },
    { field: 'chain.observability.timeout', message: 'third' },
  ])
  expect(errors['chain.network']).toBe('first')
  expect([tabProblem('chain', errors), tabProblem('s3', errors)]).toEqual(['2 settings need attention', undefined])
})

test('a search looks at names, labels, descriptions and variables of all tabs', () => {
  const found = (text: string) => findSettings(listTabs(metadata), text).flatMap(({ fields }) => fields.map(([field]) => field))
  expect(found('MAINNET')).toEqual(['chain.network'])
  expect(found('folder')).toEqual(['archive.folder'])
  expect(found('network nothing')).toEqual([])
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { CommandError, defineSection, setting } from '#kernel'
import { findPlace, readSettings } from './command-settings.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-settings-'))
afterAll(() => rmSync(dir, { recursive: true }))

const section = defineSection('demo', {
  doc: 'For this test.',
  keys: {
    key: setting.text({ label: 'Key', doc: 'a key.', required: true }),
    count: setting.integer({ label: 'Count', doc: 'How many.', default: 3, min: 1 }),
    place: setting.text({ label: 'Place', doc: 'Where.', default: ({ dataDir }) => join(dataDir, 'x') }),
  },
})

function callWith(toml: string, env: Record<string, string> = {}) {
  const config = join(dir, 'config.toml')
  writeFileSync(config, toml)
  return { flags: { config }, env }
}

test('a command reads the keys it needs, whatever else is wrong', () => {
  const call = callWith('[demo]\ncount = 5\n[other]\nunknown = true\n')
  expect(readSettings(call, section, ['count', 'place'])).toEqual({ count: 5, place: join(dir, 'x') })
  expect(readSettings({ ...call, env: { SVC_DEMO_COUNT: '7' } }, section, ['count'])).toEqual({ count: 7 })
})

test('each wanted key that is missing or invalid is named', () => {
  const call = callWith('[demo]\ncount = 0\n')
  expect(() => readSettings(call, section, ['key', 'count'])).toThrow(CommandError)
  expect(() => readSettings(call, section, ['key', 'count'])).toThrow(/^demo\.key is required: a key\.; demo\.count must be at least 1/)
})

test('the flag comes before SVC_CONFIG, and that before the home directory', () => {
  expect(findPlace({ flags: { config: '/a/c.toml' }, env: { SVC_CONFIG: '/b/c.toml' } })).toEqual({
    configPath: '/a/c.toml',
    dataDir: '/a',
  })
  expect(findPlace({ flags: {}, env: { SVC_CONFIG: '/b/c.toml' } }).configPath).toBe('/b/c.toml')
  expect(findPlace({ flags: {}, env: { SVC_CONFIG: '  ' } }).configPath).toMatch(/\/\.svc\/config\.toml$/)
})

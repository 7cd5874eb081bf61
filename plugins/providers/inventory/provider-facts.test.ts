import { expect, test } from 'vitest'
import { defineProviderFactSource, type ProviderFacts } from '../contract.ts'
import { createProviderFacts } from './provider-facts.ts'

const source = (pluginId: string, of: (providerId: string) => ProviderFacts | undefined) => ({
  pluginId,
  item: defineProviderFactSource({ name: pluginId, uses: {}, of: (_services, providerId) => of(providerId) }),
  services: {},
})

test('members that a later plugin states override those of an earlier one', () => {
  const regions = source('regions', (providerId) => ({ region: `region of ${providerId}`, preference: 1 }))
  const prices = source('prices', (providerId) => (providerId === '2' ? { preference: 5 } : undefined))
  const facts = createProviderFacts(() => [regions, prices])
  expect([facts.of('1'), facts.of('2')]).toEqual([
    { region: 'region of 1', preference: 1 },
    { region: 'region of 2', preference: 5 },
  ])
  expect(createProviderFacts(() => []).of('1')).toEqual({})
})

test('a plugin that cannot state its facts is named', () => {
  const broken = source('sanctions', () => {
    throw new Error('no list')
  })
  expect(() => createProviderFacts(() => [broken]).of('7')).toThrow("plugin 'sanctions' cannot state its facts about provider 7: no list")
})

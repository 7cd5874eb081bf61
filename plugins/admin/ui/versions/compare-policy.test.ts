import { expect, test } from 'vitest'
import { compareVersions, type VersionFacts } from './compare-policy.ts'

const facts = (more: Partial<VersionFacts> = {}): VersionFacts => ({
  uploaded: 'Monday',
  size: '1 KiB',
  etag: 'e',
  content_type: 'text/plain',
  headers: [],
  metadata: [{ name: 'camera', value: 'x100' }],
  tags: [],
  checksums: [],
  ...more,
})

test('only what differs is listed, and what one version lacks is none there', () => {
  const next = facts({ size: '2 KiB', metadata: [{ name: 'lens', value: '35' }], tags: [{ name: 'camera', value: 'x100' }] })
  expect(compareVersions(facts(), next)).toEqual([
    { label: 'Size', from: '1 KiB', to: '2 KiB' },
    { label: 'Metadata camera', from: 'x100', to: 'none' },
    { label: 'Metadata lens', from: 'none', to: '35' },
    { label: 'Tag camera', from: 'none', to: 'x100' },
  ])
  expect(compareVersions(facts(), facts())).toEqual([])
})

import { expect, test } from 'vitest'
import { compareVersions, isVersion } from './version-policy.ts'

test('versions are in their order', () => {
  const ordered = ['nonsense', '0.9.10', '0.10.0-alpha', '0.10.0-alpha.2', '0.10.0-alpha.11', '0.10.0-beta', '0.10.0', '1.0.0', '10.0.0']
  for (const [at, version] of ordered.entries()) {
    for (const [otherAt, other] of ordered.entries()) {
      expect(Math.sign(compareVersions(version, other)), `${version} ${other}`).toBe(Math.sign(at - otherAt))
    }
  }
  expect(compareVersions('v1.2.3', '1.2.3+build.5')).toBe(0)
})

test.each(['', '1', '1.2', '1.2.3.4', '1.2.3-', 'one', '99999999999999.0.0'])('%s is no version', (text) => {
  expect(isVersion(text)).toBe(false)
})

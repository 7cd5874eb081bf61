import { expect, test } from 'vitest'
import { judgeVersions } from './contract-version-policy.ts'

test.each([
  ['1.3.0', '3.4.0', true],
  ['1.3.1', '3.5.0', true],
  ['1.4.0', '3.5.0', true],
  ['1.4.0', '3.4.0', true],
  ['1.10.0', 'v3.4', true],
  ['1.2.1', '3.4.0', false],
  ['2.0.0', '3.4.0', false],
  ['1.3.0', '3.3.9', false],
  ['1.3.0', '4.0.0', false],
  ['', '3.4.0', false],
  ['1.3x', '3.4.0', false],
])('FWSS %j with PDPVerifier %j is supported: %s', (fwss, pdpVerifier, isSupported) => {
  expect(judgeVersions({ fwss, pdpVerifier })).toMatchObject({ isSupported })
})

test('the reason names the contract, its version and the required one', () => {
  expect(judgeVersions({ fwss: '1.2.1', pdpVerifier: '3.4.0' })).toEqual({
    isSupported: false,
    reason: 'FilecoinWarmStorageService is at version 1.2.1; this release of svc needs 1.3 or a later 1.x.',
  })
})

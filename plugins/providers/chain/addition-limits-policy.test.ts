import { expect, test } from 'vitest'
import { limitsOfAddition } from './addition-limits-policy.ts'

test.each([
  ['today', '1.4.0', { dataSetId: 1559n, compactFrom: 1559n }, { piecesMax: 404, omitsMetadata: true }],
  ['a data set that is not created yet', '1.4.0', { dataSetId: null, compactFrom: 1559n }, { piecesMax: 404, omitsMetadata: true }],
  ['a data set from before the upgrade', '1.4.0', { dataSetId: 1558n, compactFrom: 1559n }, { piecesMax: 80, omitsMetadata: true }],
  ['an upgrade that has not separated the layouts', '1.4.0', { dataSetId: 5000n, compactFrom: 0n }, { piecesMax: 80, omitsMetadata: true }],
  ['PDPVerifier upgraded first', '1.3.1', { dataSetId: 1559n, compactFrom: 1559n }, { piecesMax: 224, omitsMetadata: false }],
  ['the storage service upgraded first', '1.4.0', { dataSetId: 1559n, compactFrom: undefined }, { piecesMax: 40, omitsMetadata: true }],
  ['before the upgrades', '1.3.1', { dataSetId: 1n, compactFrom: undefined }, { piecesMax: 40, omitsMetadata: false }],
  ['a later release', '1.10.0', { dataSetId: 1559n, compactFrom: 1559n }, { piecesMax: 404, omitsMetadata: true }],
] as const)('pieces of an addition: %s', (_name, fwss, target, expected) => {
  expect(limitsOfAddition(fwss, target)).toEqual(expected)
})

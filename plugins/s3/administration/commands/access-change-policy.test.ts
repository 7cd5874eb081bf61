import { expect, test } from 'vitest'
import { openingFlags, readAccessChange } from './access-change-policy.ts'

const none = { list: undefined, blockPublic: undefined, ownership: undefined }

test('absent flags change nothing', () => {
  expect(readAccessChange(none)).toEqual({})
  expect(readAccessChange({ list: 'public-read', blockPublic: 'off', ownership: 'ObjectWriter' })).toEqual({
    list: 'public-read',
    block_public_access: false,
    ownership: 'ObjectWriter',
  })
  expect(readAccessChange({ ...none, blockPublic: 'on' })).toEqual({ block_public_access: true })
})

test('flags that only take access away open nothing', () => {
  expect(openingFlags(none)).toEqual([])
  expect(openingFlags({ list: 'private', blockPublic: 'on', ownership: 'BucketOwnerEnforced' })).toEqual([])
  expect(openingFlags({ list: 'authenticated-read', blockPublic: 'off', ownership: 'ObjectWriter' })).toEqual([
    '--list authenticated-read',
    '--block-public off',
    '--ownership ObjectWriter',
  ])
})

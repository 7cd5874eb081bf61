import { assert, property, string, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { percentEncode } from '../../wire/percent-encoding.ts'
import { parseCopySource } from './copy-source.ts'

test.each([
  ['bucket/key', 'key', undefined],
  ['/bucket/key', 'key', undefined],
  ['bucket%2Fkey', 'key', undefined],
  ['%2Fbucket/a%20b+c/%C3%BC', 'a b+c/ü', undefined],
  ['bucket//double/', '/double/', undefined],
  ['bucket/key?versionId=01ARZ3NDEKTSV4RRFFQ69G5FAV', 'key', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['bucket/a%3FversionId=b', 'a?versionId=b', undefined],
  ['bucket/a?b?versionId=null', 'a?b', 'null'],
])('the source %s is read', (text, key, versionId) => {
  expect(parseCopySource(text)).toEqual({ bucket: 'bucket', key, versionId })
})

test.each([
  '',
  '/',
  'bucket',
  '/bucket/',
  'bucket/',
  '//key',
  'bucket/%4',
  'bucket/%ff',
  'bucket/k?versionId=',
  'bucket/k?versionId=a%20b',
  'bucket/k?versionId=v1',
])('the source %j is refused', (text) => {
  expect(() => parseCopySource(text)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
})

test('a source key of more than 1024 bytes is refused', () => {
  expect(() => parseCopySource(`bucket/${'k'.repeat(1025)}`)).toThrow(expect.objectContaining({ code: 'KeyTooLongError' }))
})

test('any key is read as it was encoded', async () => {
  const key = string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => !text.includes('\0') && text.isWellFormed())
  await assert(
    property(stringMatching(/^[a-z0-9]{3,10}$/), key, (bucket, name) => {
      for (const keepSlash of [true, false]) {
        expect(parseCopySource(`${bucket}/${percentEncode(name, keepSlash)}`)).toEqual({ bucket, key: name, versionId: undefined })
      }
    }),
  )
})

import { assert, nat, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '#kernel/testing'
import { percentDecode, percentEncode } from './percent-encoding.ts'
import { parseTarget } from './target.ts'

const pathStyle = { host: 'localhost:8080', virtualHostDomains: [] }

test.each([
  ['/', { kind: 'service' }],
  ['/?x-id=ListBuckets', { kind: 'service' }],
  ['/b', { kind: 'bucket', bucket: 'b' }],
  ['/b/', { kind: 'bucket', bucket: 'b' }],
  ['/b/k', { kind: 'object', bucket: 'b', key: 'k' }],
  ['/b//k//', { kind: 'object', bucket: 'b', key: '/k//' }],
  ['/b/./../k', { kind: 'object', bucket: 'b', key: './../k' }],
  ['/b/a+b%20c%2Fd%252F', { kind: 'object', bucket: 'b', key: 'a+b c/d%2F' }],
  ['/b/%C3%A9%F0%9F%98%80', { kind: 'object', bucket: 'b', key: 'é😀' }],
  ['/b/%EF%BB%BFk', { kind: 'object', bucket: 'b', key: '\ufeffk' }],
  ['http://localhost:8080/b/k', { kind: 'object', bucket: 'b', key: 'k' }],
])('parses %s', (url, place) => {
  expect(parseTarget(url, pathStyle).place).toEqual(place)
})

test.each([
  ['/b/%zz', 'InvalidURI'],
  ['/b/%f', 'InvalidURI'],
  ['/b/%ff', 'InvalidURI'],
  ['/b/%ED%A0%80', 'InvalidURI'],
  ['/%ff', 'InvalidURI'],
  ['/b?prefix=%ff', 'InvalidURI'],
  ['*', 'InvalidURI'],
  ['/b/a%00b', 'InvalidArgument'],
  ['/b?prefix=a%00b', 'InvalidArgument'],
  ['/b?prefix&a%00b=1', 'InvalidArgument'],
  [`/b/${'k'.repeat(1025)}`, 'KeyTooLongError'],
  [`/b/${'%C3%A9'.repeat(513)}`, 'KeyTooLongError'],
])('rejects %s with %s', (url, code) => {
  expect(() => parseTarget(url, pathStyle)).toThrow(expect.objectContaining({ code }))
})

test('a key of exactly 1024 bytes is accepted', () => {
  expect(parseTarget(`/b/${'%C3%A9'.repeat(512)}`, pathStyle).place).toMatchObject({ key: 'é'.repeat(512) })
})

test('the query keeps the first value of a name and reads a plus as a space', () => {
  const { query, rawQuery } = parseTarget('/b?prefix=a+b%2Bc&prefix=d&acl&&empty=', pathStyle)
  expect([...query]).toEqual([
    ['prefix', 'a b+c'],
    ['acl', ''],
    ['empty', ''],
  ])
  expect(rawQuery).toBe('prefix=a+b%2Bc&prefix=d&acl&&empty=')
})

test('the sub-domain of a configured domain is the bucket name', () => {
  const addressing = { host: 'My.Bucket.s3.example.org:443', virtualHostDomains: ['s3.example.org'] }
  expect(parseTarget('/a/b', addressing).place).toEqual({ kind: 'object', bucket: 'my.bucket', key: 'a/b' })
  expect(parseTarget('/', addressing).place).toEqual({ kind: 'bucket', bucket: 'my.bucket' })
  expect(parseTarget('/a/b', { ...addressing, host: 's3.example.org' }).place).toEqual({ kind: 'object', bucket: 'a', key: 'b' })
})

test('percent-encoding any text decodes back to it, with and without slashes kept', async () => {
  await assert(
    property(string({ unit: anyCharacter(nat) }), (text) => {
      expect(percentDecode(percentEncode(text))).toBe(text)
      expect(percentDecode(percentEncode(text, true), { plusIsSpace: true })).toBe(text)
    }),
  )
})

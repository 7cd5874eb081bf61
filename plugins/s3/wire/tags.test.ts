import { expect, test } from 'vitest'
import { readHeaders } from './headers.ts'
import { bucketTagsMax, checkTags, listTags, readTaggingHeader } from './tags.ts'

const read = (text: string) => readTaggingHeader(readHeaders(['X-Amz-Tagging', text]))
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: '' }))

test.each([
  ['', {}],
  ['foo=bar&bar', { foo: 'bar', bar: '' }],
  ['a=b=c', { a: 'b=c' }],
  ['a%20b=c+d&%C3%A9=%2B', { 'a b': 'c d', é: '+' }],
  ['__proto__=x', JSON.parse('{"__proto__":"x"}')],
])('the header "%s" is read as a query', (text, tags) => {
  expect(read(text)).toEqual(tags)
  expect(Object.keys(read(text) ?? {})).toEqual(Object.keys(tags))
})

test.each([
  ['a tag named twice', 'a=1&a=2', 'InvalidArgument'],
  ['a broken escape', 'a=%4', 'InvalidArgument'],
  ['broken UTF-8', 'a=%ff', 'InvalidArgument'],
  ['an empty key', '=v', 'InvalidTag'],
  ['a reserved key', 'AWS:x=v', 'InvalidTag'],
  ['a character that is not allowed', 'a=%3C', 'InvalidTag'],
  ['a key of 129 characters', `${'k'.repeat(129)}=v`, 'InvalidTag'],
  ['a value of 257 characters', `k=${'v'.repeat(257)}`, 'InvalidTag'],
  [
    'eleven tags',
    many(11)
      .map(({ key }) => key)
      .join('&'),
    'BadRequest',
  ],
])('a header with %s is refused', (_, text, code) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code, status: 400 }))
})

test('the limits themselves are allowed', () => {
  expect(read(`${'k'.repeat(128)}=${'v'.repeat(256)}`)).toEqual({ ['k'.repeat(128)]: 'v'.repeat(256) })
  expect(
    Object.keys(
      read(
        many(10)
          .map(({ key }) => key)
          .join('&'),
      ) ?? {},
    ),
  ).toHaveLength(10)
  expect(Object.keys(checkTags(many(50), { max: bucketTagsMax }))).toHaveLength(50)
  expect(() => checkTags(many(51), { max: bucketTagsMax })).toThrow(expect.objectContaining({ code: 'BadRequest' }))
  expect(() => checkTags([...many(1), ...many(1)], { max: bucketTagsMax })).toThrow(expect.objectContaining({ code: 'InvalidTag' }))
})

test('without the header there are no tags, and tags are listed by key', () => {
  expect(readTaggingHeader(readHeaders([]))).toBeUndefined()
  expect(listTags({ b: '1', a: '2', 10: '3' }).map(({ key }) => key)).toEqual(['10', 'a', 'b'])
})

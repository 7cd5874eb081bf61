import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findNameProblem } from './bucket-name-policy.ts'

/** The rule that the service documents for the body of `POST /buckets`. */
const { paths } = JSON.parse(readFileSync(new URL('../../../../docs/reference/openapi.json', import.meta.url), 'utf8'))
const { minLength, maxLength, pattern } = paths['/api/v1/buckets'].post.requestBody.content['application/json'].schema.properties.name
const isAccepted = (name: string) => name.length >= minLength && name.length <= maxLength && new RegExp(pattern).test(name)

const good = ['abc', 'a.b', 'a-b', '0ab', 'a--b', 'photos-2024.raw', 'a'.repeat(63), '1.2.3', '1.2.3.4a']
const lengths = ['', 'ab', 'a'.repeat(64)]
const letters = ['Abc', 'a_b', 'a b', 'äbc', '🪣🪣🪣']
const places = ['-ab', 'ab-', '.ab', 'ab.', 'a..b', 'a.-b', 'a-.b', '1.2.3.4']
const reserved = ['xn--abc', 'sthree-abc', 'amzn-s3-demo-abc', 'abc-s3alias', 'abc--ol-s3', 'abc.mrap', 'abc--x-s3', 'abc--table-s3']

describe('names of new buckets', () => {
  test.each([...good, ...lengths, ...letters, ...places, ...reserved])('%j is judged as the service does', (name) => {
    expect(findNameProblem(name) === undefined).toBe(isAccepted(name))
  })

  test('both outcomes occur', () => {
    expect(good.map(findNameProblem)).toEqual(good.map(() => undefined))
    expect(findNameProblem('ab')).toContain('has 2')
    expect(reserved.map(findNameProblem)).toEqual(reserved.map(() => expect.stringContaining('reserved')))
  })
})

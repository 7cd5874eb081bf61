import { expect, test } from 'vitest'
import { hrefOf, matchPath } from './match.ts'

test.each(['plain', 'a b', 'a/b', '..', '100%', '<img onerror=x>', '‮abc', '😀', 'x'.repeat(1024)])(
  'the name %j survives the way through an address',
  (name) => {
    const href = hrefOf('/buckets/:name', { name }, { prefix: name, empty: '' })
    const url = new URL(href, 'http://svc.test')
    expect(matchPath('/buckets/:name', href.split('?')[0] ?? '')?.params).toEqual({ name })
    expect(url.searchParams.get('prefix')).toBe(name)
    expect(url.searchParams.has('empty')).toBe(false)
  },
)

test('a literal segment ranks above a parameter', () => {
  const rankOf = (pattern: string) => matchPath(pattern, '/buckets/new')?.rank ?? -1
  expect(rankOf('/buckets/new')).toBeGreaterThan(rankOf('/buckets/:name'))
})

test.each([
  ['/buckets', '/buckets/a'],
  ['/buckets/:name', '/buckets'],
  ['/buckets/:name', '/tasks/a'],
  ['/buckets/:name', '/buckets/%E0%A4%A'],
])('%s is not the page of %s', (pattern, path) => {
  expect(matchPath(pattern, path)).toBeUndefined()
})

test('a slash at the end names the same page', () => {
  expect(matchPath('/buckets', '/buckets/')).toBeDefined()
  expect(matchPath('/', '/')).toBeDefined()
})

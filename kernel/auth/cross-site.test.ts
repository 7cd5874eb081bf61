import { expect, test } from 'vitest'
import { isCrossSite } from './cross-site.ts'

const own = { scheme: 'https', host: 'svc.example' } as const

test.each([
  ['no browser headers', {}, false],
  ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }, true],
  ['Sec-Fetch-Site in capitals', { 'sec-fetch-site': 'Cross-Site' }, true],
  ['cross-site wins over a good Origin', { 'sec-fetch-site': 'cross-site', origin: 'https://svc.example' }, true],
  ['same-origin', { 'sec-fetch-site': 'same-origin' }, false],
  ['none, typed into the address bar', { 'sec-fetch-site': 'none' }, false],
  ['same-site of another host goes by its Origin', { 'sec-fetch-site': 'same-site', origin: 'https://other.example' }, true],
  ['own Origin', { origin: 'https://svc.example' }, false],
  ['own Origin with its default port', { origin: 'https://svc.example:443' }, false],
  ['another port', { origin: 'https://svc.example:8443' }, true],
  ['another scheme', { origin: 'http://svc.example' }, true],
  ['another host', { origin: 'https://evil.example' }, true],
  ['a host that only begins alike', { origin: 'https://svc.example.evil.example' }, true],
  ['an opaque Origin', { origin: 'null' }, true],
  ['an Origin that is no address', { origin: 'svc.example' }, true],
  ['Origin wins over Referer', { origin: 'https://evil.example', referer: 'https://svc.example/' }, true],
  ['own Referer', { referer: 'https://svc.example/buckets?x=1' }, false],
  ['foreign Referer', { referer: 'https://evil.example/https://svc.example/' }, true],
] as const)('%s', (...[, headers, expected]) => {
  expect(isCrossSite(headers, own)).toBe(expected)
})

test('a request without a Host is never same-origin', () => {
  expect(isCrossSite({ origin: 'https://svc.example' }, { scheme: 'https', host: '' })).toBe(true)
})

import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { explainAmbiguousHead } from './ambiguous-head.ts'

const head = (rawHeaders: string[], httpVersion = '1.1') => {
  const host = rawHeaders[rawHeaders.findIndex((text) => text.toLowerCase() === 'host') + 1]
  return { rawHeaders, httpVersion, headers: rawHeaders.length > 0 ? { host } : {} } as unknown as IncomingMessage
}

test.each(['Host', 'Authorization', 'Origin', 'Referer', 'Sec-Fetch-Site', 'X-Svc-CSRF'])('a duplicate %s header is refused', (name) => {
  const lines = ['host', 'a', 'Accept', 'x', 'Accept', 'y', ...(name === 'Host' ? [] : [name, 'b'])]
  expect(explainAmbiguousHead(head(lines))).toBeUndefined()
  expect(explainAmbiguousHead(head([...lines, name.toLowerCase(), 'c']))).toBe(`Duplicate header: ${name.toLowerCase()}.`)
})

test('only HTTP/1.1 requires a Host', () => {
  expect(explainAmbiguousHead(head([]))).toBe('The Host header is missing.')
  expect(explainAmbiguousHead(head([], '1.0'))).toBeUndefined()
})

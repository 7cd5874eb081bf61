import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { OpenedObject } from '#plugins/storage'
import type { Content } from '../operations/operation.ts'
import { WireBody } from './wire-body.ts'
import { bytesInMemory, endFromMemory } from './write-answer.ts'

const bytes = Buffer.from('0123456789')

function exchangeOf({ method = 'GET', headers = {}, awaitsContinue = false } = {}) {
  const request = new IncomingMessage(new Socket())
  Object.assign(request, { method, headers })
  const response = new ServerResponse(request)
  const wire = new WireBody(request, response, { bytesPerSecondMin: 1024, idleMs: 1000, awaitsContinue })
  return {
    request,
    response,
    wire,
    requestId: '',
    hostId: '',
    documentMs: 1000,
    admitted: undefined,
    notes: { sentBytes: 0 },
    crossOriginHeaders: {},
  }
}

function contentOf(inMemory: Uint8Array | undefined, range?: Content['range']): Content {
  const opened = { version: undefined as never, source: 'cache', ...(inMemory && { bytes: inMemory }) } as unknown as OpenedObject
  return { opened, length: range ? range.end - range.start + 1 : bytes.length, ...(range && { range }) }
}

test('a cached object in memory is sent without a read, whole or a range of it', () => {
  expect(bytesInMemory(exchangeOf(), contentOf(bytes))).toBe(bytes)
  expect(bytesInMemory(exchangeOf(), contentOf(bytes, { start: 2, end: 4 }))?.toString()).toBe('234')
  const exchange = exchangeOf()
  expect(endFromMemory(exchange, { status: 200, headers: {}, content: contentOf(bytes, { start: 2, end: 4 }) })).toBe(true)
  expect([exchange.notes.sentBytes, exchange.response.writableEnded]).toEqual([3, true])
})

test.each([
  ['the bytes are not in memory', exchangeOf(), contentOf(undefined)],
  ['the request is a HEAD', exchangeOf({ method: 'HEAD' }), contentOf(bytes)],
  ['the client waits for 100 Continue', exchangeOf({ awaitsContinue: true }), contentOf(bytes)],
  ['a part of the request is not read yet', exchangeOf({ headers: { 'content-length': '9' } }), contentOf(bytes)],
])('the usual way is taken when %s', (_, exchange, content) => {
  expect(bytesInMemory(exchange, content)).toBeUndefined()
  expect(endFromMemory(exchange, { status: 200, headers: {}, content })).toBe(false)
  expect(exchange.response.headersSent).toBe(false)
})

test('bytes of another length than announced are not sent', () => {
  const exchange = exchangeOf()
  expect(() => endFromMemory(exchange, { status: 200, headers: {}, content: contentOf(bytes.subarray(1)) })).toThrow(
    'returned 9 bytes, expected 10',
  )
  expect(exchange.response.headersSent).toBe(false)
})

import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { OpenedObject } from '#plugins/storage'
import { WireBody } from './wire-body.ts'
import { writeAnswer } from './write-answer.ts'

test.each([
  ['ends', undefined, 'Invalid character'],
  ['fails to end', 'the read does not end', 'the read does not end'],
])('the object is closed when its headers cannot be written and its read %s', async (_, failure, message) => {
  const endOfRead = async () => {
    if (failure !== undefined) throw new Error(failure)
  }
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const ended: string[] = []
  const opened: OpenedObject = {
    version: undefined as never,
    source: 'cache',
    async *read() {
      try {
        yield Buffer.from('x')
      } finally {
        ended.push('read')
        await endOfRead()
      }
    },
    async [Symbol.asyncDispose]() {
      ended.push('object')
    },
  }
  const wire = new WireBody(request, response, { idleMs: 1000, awaitsContinue: false })
  const exchange = { request, response, wire, requestId: '', hostId: '', idleMs: 1000, notes: { sentBytes: 0 }, crossOriginHeaders: {} }
  const answer = { status: 200, headers: { 'x-invalid': 'line\nbreak' }, content: { opened, length: 1 } }
  await expect(writeAnswer(exchange, answer, { closesConnection: false })).rejects.toThrow(message)
  expect(ended).toEqual(['read', 'object'])
})

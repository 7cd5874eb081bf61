import { expect, test } from 'vitest'
import type { S3Services } from '../operation.ts'
import { copiedChecksums } from './copied-checksums.ts'

test('a client that left ends the reading of a source that does not respond', async () => {
  const left = new AbortController()
  let isClosed = false
  const opened = {
    async *read() {
      yield Buffer.from('x')
      left.abort(new Error('the client left'))
      await new Promise(() => {})
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
    },
  }
  const services = { objects: { open: async () => opened }, uploads: { partsOf: async () => [] } } as unknown as S3Services
  const version = { versionId: 'v', headers: { checksums: {} } } as never
  const reading = copiedChecksums({ bucket: 'photos', key: 'k', version }, 'sha256', { services, signal: left.signal })
  await expect(reading).rejects.toThrow('the client left')
  expect(isClosed).toBe(true)
})

import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../e2e/fixtures/temporary-directory.ts'
import { sendRequest } from './s3-calls.ts'
import { startEarlier } from './targets.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))

test('an earlier gateway starts without the settings that it does not have, and with the others', async () => {
  using temporary = temporaryDirectory()
  const settings = { 's3.a_newer_setting': 'any', 's3.object_sizes': 'any' }
  await using gateway = await startEarlier(temporary.path, { checkout, settings })
  const { headers } = await sendRequest(gateway, { method: 'PUT', url: `/${gateway.bucket}/short`, body: 'short' })
  expect(headers.etag).toBeDefined()
})

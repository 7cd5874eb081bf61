import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { benchS3Operations } from './s3-operations.ts'

const scale = {
  rounds: 1,
  parts: 3,
  partBytes: 5 * 1024 ** 2,
  uploadConnections: 2,
  copies: 2,
  copyBytes: 1024 ** 2,
  deletes: 20,
  deleteRequests: 2,
  listedObjects: 30,
  listings: 2,
}

test('listings, bulk deletes, copies and uploads in parts are measured at both gateways, and compared', async () => {
  const { rows } = await benchS3Operations({ scale, before: fileURLToPath(new URL('..', import.meta.url)) })
  const loads = [
    'pages of 30 of 30 objects, 1 client',
    'requests that delete 20 objects',
    'copies within the server of an object of 1 MiB, 1 client',
    'upload of 15 MiB in parts of 5 MiB, 2 at once',
    'resident memory under these loads',
  ]
  expect(rows.map(({ label }) => label)).toEqual(loads.flatMap((load) => [`${load}: gateway before`, `${load}: gateway`]))
  for (const { value } of rows) expect(value).toBeGreaterThan(0)
  expect(rows.filter(({ note }) => note?.includes('× before'))).toHaveLength(4)
})

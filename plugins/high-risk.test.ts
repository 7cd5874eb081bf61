/** The operations that the specification calls high-risk are in the audit log, with who asked, for what, and the result. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '#kernel/host'
import { type TestKernel, testKernel, testOperator } from '#kernel/testing'
import { builtinPlugins } from './index.ts'

const lines: string[] = []
const log = createLog({ level: 'error', format: 'json', secrets: [], write: (line) => lines.push(line) })
// No node listens there: none of these requests needs a chain.
const config = { 'server.port': '127.0.0.1:0', 'chain.private_key': '42'.repeat(32), 'chain.rpc_url': 'http://127.0.0.1:9/' }

let svc: TestKernel
beforeAll(async () => {
  svc = await testKernel({ plugins: builtinPlugins, config, log })
})
afterAll(() => svc.stop())

const objects = '/api/v1/buckets/films/objects'

test.each([
  ['a change of the settings', 'PUT /api/v1/settings'],
  ['the creation of an S3 user', 'POST /api/v1/s3-users'],
  ['an update of an S3 user', 'PUT /api/v1/s3-users/someone'],
  ['a rotation of an S3 secret', 'POST /api/v1/s3-users/someone/secret'],
  ['the deletion of an S3 user', 'DELETE /api/v1/s3-users/someone'],
  ['the creation of a bucket', 'POST /api/v1/buckets'],
  ['a change of a bucket owner', 'PUT /api/v1/buckets/films/owner'],
  ['a change of a copy policy', 'PUT /api/v1/buckets/films/copy-policy'],
  ['an upload', `POST ${objects}/upload?key=a`],
  ['a download', `GET ${objects}/download?key=a`],
  ['the deletion of an object', `DELETE ${objects}?key=a`],
  ['the restore of an object', `POST ${objects}/restore`],
  ['the restore of a version', `POST ${objects}/versions/restore`],
  ['the permanent deletion of a version', `POST ${objects}/permanent-delete`],
  ['the permanent deletion of a deleted object', `POST ${objects}/deleted/permanent-delete`],
  ['a deposit of the wallet', 'POST /api/v1/wallet/fund'],
  ['a withdrawal of the wallet', 'POST /api/v1/wallet/withdraw'],
  ['an approval by the wallet', 'POST /api/v1/wallet/approve'],
  ['the retry of a task', 'POST /api/v1/tasks/1/retry'],
  ['the acknowledgement of a task', 'POST /api/v1/tasks/1/acknowledge'],
  ['the acknowledgement of many tasks', 'POST /api/v1/tasks/acknowledge'],
  ['a refresh of the providers', 'POST /api/v1/observability/providers/refresh'],
  ['a refresh of the data sets', 'POST /api/v1/observability/data-sets/refresh'],
  ['a replacement of a provider', 'POST /api/v1/buckets/films/data-sets/1/replacement'],
  ['the retry of a replacement', 'POST /api/v1/storage-replacements/1/retry'],
  ['an upload speed test', 'POST /api/v1/observability/providers/1/upload-speed-test'],
])('I-35: %s is in the audit log', async (_what, request) => {
  const [method = '', path = ''] = request.split(' ')
  lines.length = 0
  // Each is refused, because nothing of what it names exists, or its body is empty.
  const answer = await svc.fetch(path, { method })
  await answer.arrayBuffer()
  const changes = () => lines.map((line) => JSON.parse(line)).filter(({ in: part, msg }) => part === 'audit' && msg === 'change')
  await expect.poll(() => changes().length).toBe(1)
  expect(changes()[0]).toMatchObject({
    by: testOperator.username,
    method,
    status: answer.status,
    route: expect.stringMatching(/^\/api\/v1\//),
  })
})

import { afterAll, expect, test } from 'vitest'
import { permissionsOf } from '../auth/permissions.ts'
import { type Operation, requireBucket, type S3Request } from '../operations/operation.ts'
import type { NamedRow } from '../operations/table/operation-table.ts'
import type { OperationRow } from '../operations/table/row.ts'
import { admin, noStoredSettings, owner, plain } from '../testing/test-server.ts'
import { openTestStorage } from '../testing/test-storage.ts'
import type { S3Signer } from '../users/signer.ts'
import { readHeaders } from '../wire/headers.ts'
import type { S3Error } from '../wire/s3-error.ts'
import { runOperation } from './run-operation.ts'

const storage = await openTestStorage()
afterAll(() => storage[Symbol.asyncDispose]())
await storage.buckets.create({ name: 'own', ownerAccessKey: owner.accessKey })
await storage.buckets.create({ name: 'other', ownerAccessKey: plain.accessKey })
const services = { ...storage, ...noStoredSettings }

function requestBy(caller: S3Signer | undefined, query: Readonly<Record<string, string>> = {}): S3Request {
  return {
    method: 'PUT',
    query: new Map(Object.entries(query)),
    headers: readHeaders([]),
    caller,
    now: 0,
    resourceUrl: 'http://localhost/own/k',
    ...permissionsOf(caller, noStoredSettings.accessLists),
    clientSignal: () => AbortSignal.any([]),
    holdMemory: () => {},
    openBody: () => Promise.reject(new Error('this operation reads no body')),
  }
}

const place = { kind: 'object', bucket: 'own', key: 'k' } as const
const row = (more: Partial<NamedRow>): NamedRow => ({ name: 'Test', level: 'object', method: 'PUT', action: 's3:PutObject', ...more })

/** Reads a key of another bucket, as a copy does. */
const readsOther: Operation = {
  scope: 'object',
  async run(request, { buckets }) {
    const bucket = requireBucket(buckets, request.query.get('from') ?? '')
    await request.require('s3:GetObject', { bucket, key: 'source' })
    return { status: 200, headers: {} }
  },
}

test('an operation that asks for a second permission is refused when the caller does not own the other bucket', async () => {
  const copy = row({ handler: readsOther })
  const run = (caller: S3Signer, from: string) => runOperation(copy, requestBy(caller, { from }), place, services)
  await expect(run(owner, 'other')).rejects.toMatchObject({
    code: 'AccessDenied',
    message: expect.stringContaining('s3:GetObject on /other/source'),
  })
  expect(await run(owner, 'own')).toMatchObject({ status: 200 })
  expect(await run(admin, 'other')).toMatchObject({ status: 200 })
  await expect(run(plain, 'other')).rejects.toMatchObject({
    code: 'AccessDenied',
    message: expect.stringContaining('s3:PutObject on /own/k'),
  })
  await expect(run(owner, 'absent')).rejects.toMatchObject({ code: 'NoSuchBucket', extras: { BucketName: 'absent' } })
})

test('a request for a version asks for the action of versions instead', async () => {
  const asked: unknown[] = []
  const handler: Operation = { scope: 'object', run: () => ({ status: 200, headers: {} }) }
  const read = row({ action: 's3:GetObject', versionAction: 's3:GetObjectVersion', handler })
  for (const query of [{}, { versionId: 'v' }]) {
    const request = requestBy(owner, query as Record<string, string>)
    await runOperation(read, { ...request, require: async (...question) => void asked.push(question) }, place, services)
  }
  const resource = { bucket: storage.buckets.find('own'), key: 'k' }
  expect(asked).toEqual([
    ['s3:GetObject', resource],
    ['s3:GetObjectVersion', { ...resource, versionId: 'v' }],
  ])
})

test.each([
  ['a missing bucket, before the permission', undefined, 'absent', 'NoSuchBucket'],
  ['a missing permission, before what is not implemented', plain, 'own', 'AccessDenied'],
  ['what is not implemented, last', owner, 'own', 'NotImplemented'],
] as const)('refuses %s', async (_, caller, bucket, code) => {
  await expect(runOperation(row({}), requestBy(caller), { ...place, bucket }, services)).rejects.toMatchObject({ code })
})

test.each([
  ['an anonymous caller', undefined],
  ['a user without the permission', plain],
] as const)('%s cannot tell a right guess of the owner from a wrong one', async (_, caller) => {
  const refusalOf = (guess: string) => {
    const request = { ...requestBy(caller), headers: readHeaders(['x-amz-expected-bucket-owner', guess]) }
    return runOperation(row({}), request, place, services).catch((error: S3Error) => ({ code: error.code, message: error.message }))
  }
  const right = await refusalOf(owner.ownerId)
  expect(right).toMatchObject({ code: 'AccessDenied' })
  expect(await refusalOf('wrong')).toEqual(right)
})

test('the expected owner is checked for a caller with the permission', async () => {
  const handler: Operation = { scope: 'object', run: () => ({ status: 200, headers: {} }) }
  const run = (guess: string) => {
    const request = { ...requestBy(owner), headers: readHeaders(['x-amz-expected-bucket-owner', guess]) }
    return runOperation(row({ handler }), request, place, services)
  }
  expect(await run(owner.ownerId)).toMatchObject({ status: 200 })
  await expect(run('wrong')).rejects.toMatchObject({ code: 'AccessDenied', message: expect.stringContaining('expected owner') })
})

test('the table names only actions of the list', () => {
  // @ts-expect-error
  const misspelt: OperationRow = { method: 'GET', action: 's3:GetBuckets' }
  expect(misspelt.action).toBe('s3:GetBuckets')
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/test-gateway.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>

beforeAll(async () => {
  gateway = await startTestGateway()
})

afterAll(() => gateway[Symbol.asyncDispose]())

const ownership = (name: string) => `<OwnershipControls><Rule><ObjectOwnership>${name}</ObjectOwnership></Rule></OwnershipControls>`

test('a list that is sent while the bucket ignores lists leaves the owner and the list of a version', async () => {
  const { other, plain } = gateway.users
  const id = (name: string) => `id="${name}"`
  await gateway.send({ method: 'PUT', url: '/kept', headers: { 'x-amz-grant-write': id(other.accessKey) } })
  const url = '/kept/k'
  const headers = { 'x-amz-grant-read': id(plain.accessKey), 'x-amz-grant-full-control': id(other.accessKey) }
  expect(await gateway.send({ method: 'PUT', url, body: 'x'.repeat(200), headers, user: other })).toMatchObject({ status: 200 })
  const list = { method: 'GET', url: `${url}?acl`, user: other }
  const { body } = await gateway.send(list)
  expect(body).toContain(`<Owner><ID>${other.ownerId}</ID>`)
  await gateway.send({ method: 'PUT', url: '/kept?acl', headers: { 'x-amz-acl': 'private' } })
  const own = (name: string) => gateway.send({ method: 'PUT', url: '/kept?ownershipControls', body: ownership(name) })
  expect(await own('BucketOwnerEnforced')).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'PUT', url: `${url}?acl`, headers: { 'x-amz-acl': 'private' } })).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'PUT', url: `${url}?acl`, headers })).toMatchObject({ code: 'AccessControlListNotSupported' })
  expect(await own('ObjectWriter')).toMatchObject({ status: 200 })
  expect((await gateway.send(list)).body).toBe(body)
  expect(await gateway.send({ method: 'GET', url })).toMatchObject({ status: 403 })
  for (const user of [other, plain]) expect(await gateway.send({ method: 'GET', url, user })).toMatchObject({ status: 200 })
})

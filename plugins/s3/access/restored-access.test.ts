import { expect, test } from 'vitest'
import { adminRoutes, definePlugin, defineRoutes } from '#kernel'
import { type Versions, versions } from '#plugins/storage'
import { startTestGateway } from '../testing/test-gateway.ts'

test('a restored version of another user stays unreadable for the owner of the bucket, and has the list of the old one', async () => {
  const found: Versions[] = []
  const routes = defineRoutes({
    name: 'reach',
    uses: { versions },
    endpoints: [],
    register: (_app, services) => void found.push(services.versions),
  })
  const reach = definePlugin({ id: 'reach', requires: ['storage'], contributes: [adminRoutes.with(routes)] })
  await using gateway = await startTestGateway({}, [reach])
  const { other, plain } = gateway.users
  const id = (name: string) => `id="${name}"`
  await gateway.send({ method: 'PUT', url: '/shared', headers: { 'x-amz-grant-write': id(other.accessKey) } })
  const url = '/shared/k'
  const headers = { 'x-amz-grant-read': id(plain.accessKey), 'x-amz-grant-full-control': id(other.accessKey) }
  const old = await gateway.send({ method: 'PUT', url, body: 'a'.repeat(200), headers, user: other })
  const current = await gateway.send({ method: 'PUT', url, body: 'b'.repeat(200) })
  const idOf = (answer: typeof old) => answer.headers.get('x-amz-version-id') ?? ''
  const place = { bucket: 'shared', key: 'k', versionId: idOf(old), expectedCurrentVersionId: idOf(current) }
  const restored = await found[0]?.restore(place)
  expect(restored?.versionId).not.toBe(idOf(old))
  expect(await gateway.send({ method: 'GET', url })).toMatchObject({ status: 403 })
  for (const user of [other, plain]) expect(await gateway.send({ method: 'GET', url, user })).toMatchObject({ status: 200 })
  const list = await gateway.send({ method: 'GET', url: `${url}?acl`, user: other })
  expect(list.body).toContain(`<Owner><ID>${other.ownerId}</ID>`)
})

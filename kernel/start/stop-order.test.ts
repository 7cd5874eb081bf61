import { expect, test } from 'vitest'
import { definePlugin } from '../core/plugin.ts'
import { defineListener, listeners } from '../http/listeners.ts'
import { adminRoutes, defineRoutes } from '../http/routes.ts'
import { testKernel } from '../testing/test-kernel.ts'

test('other listeners serve until the Admin listener has answered its requests', async () => {
  const steps: string[] = []
  const [entered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = defineRoutes({
    name: 'slow',
    uses: {},
    register: (app) =>
      void app.get('/api/v1/slow', async () => {
        entered.resolve()
        await released.promise
        return {}
      }),
  })
  const radio = defineListener({
    name: 'radio',
    uses: {},
    start: async () => ({ url: 'http://127.0.0.1:1', stop: async () => void steps.push('radio off') }),
  })
  const svc = await testKernel({ plugins: [definePlugin({ id: 'slow', contributes: [adminRoutes.with(slow), listeners.with(radio)] })] })
  const answer = svc.call('GET', '/api/v1/slow').finally(() => steps.push('answered'))
  await entered.promise
  const stopped = svc.stop()
  const isRefused = () =>
    fetch(`${svc.url}/healthz`).then(
      () => false,
      () => true,
    )
  await expect.poll(isRefused).toBe(true)
  expect(steps).toEqual([])
  released.resolve()
  expect(await answer).toMatchObject({ status: 200 })
  await stopped
  expect(steps).toEqual(['answered', 'radio off'])
})
